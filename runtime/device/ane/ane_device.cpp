//===- ane_device.cpp - The Neural Engine as a device ---------------------===//
#include "runtime/device/ane/ane_device.h"

#include "runtime/device/ane/ane_program.h"

namespace ane::rt::engine {
namespace {

/// What a process was seen to get, where sources disagree the least of it: C05, C139, C140. The records are in the
/// emulator, which need not be there; ane_device_test compares them.
constexpr int64_t kCompilations = 119, kLoaded = 127, kLoadedBytes = int64_t(3584) << 20;

class Engine final : public AneDevice {
public:
  explicit Engine(std::shared_ptr<const Framework> framework)
      : framework(std::move(framework)), evaluator(std::make_shared<Evaluator>(this->framework)) {}

  std::string_view name() const override { return "ane"; }

  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &program) override {
    return AneProgram::create(framework, evaluator, program);
  }

  ProgramBudgets budgets() const override { return {kCompilations, kLoaded, kLoadedBytes}; }

  absl::StatusOr<std::unique_ptr<Surface>> allocate(const SurfaceDesc &surface) override {
    return objc::Runtime::guarded("a surface", [&] { return framework->surfaces().make(surface.bytes); });
  }

  absl::Status take(EvaluationPath path) override { return evaluator->take(path); }
  EvaluationPath taken() const override { return evaluator->taken(); }
  absl::Status chain(DeviceProgram &program, const Request &request) override {
    return static_cast<AneProgram &>(program).chain(request);
  }

private:
  const std::shared_ptr<const Framework> framework;
  const std::shared_ptr<Evaluator> evaluator;
};

} // namespace

absl::StatusOr<std::unique_ptr<AneDevice>> makeAneDevice(const std::vector<std::string> &libraries) {
  auto framework = Framework::open(libraries.empty() ? Framework::systemLibraries() : libraries);
  if (!framework.ok())
    return framework.status();
  return std::make_unique<Engine>(*std::move(framework));
}

} // namespace ane::rt::engine
