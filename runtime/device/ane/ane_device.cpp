//===- ane_device.cpp - The Neural Engine as a device ---------------------===//
#include "runtime/device/ane/ane_device.h"

#include "runtime/device/ane/ane_program.h"

namespace ane::rt::engine {
namespace {

/// What a process was seen to get, where sources disagree the least of it: C05, C139, C140. The records are in the
/// emulator, which need not be there; ane_device_test compares them.
constexpr int64_t kCompilations = 119, kLoaded = 127, kLoadedBytes = int64_t(3584) << 20;

class AneDevice final : public Device {
public:
  explicit AneDevice(std::shared_ptr<const Framework> framework) : framework(std::move(framework)) {}

  std::string_view name() const override { return "ane"; }

  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &program) override {
    return AneProgram::create(framework, program);
  }

  ProgramBudgets budgets() const override { return {kCompilations, kLoaded, kLoadedBytes}; }

  absl::StatusOr<std::unique_ptr<Surface>> allocate(const SurfaceDesc &surface) override {
    return framework->surfaces().make(surface.bytes);
  }

private:
  const std::shared_ptr<const Framework> framework;
};

} // namespace

absl::StatusOr<std::unique_ptr<Device>> makeAneDevice(const std::vector<std::string> &libraries) {
  auto framework = Framework::open(libraries.empty() ? Framework::systemLibraries() : libraries);
  if (!framework.ok())
    return framework.status();
  return std::make_unique<AneDevice>(*std::move(framework));
}

} // namespace ane::rt::engine
