//===- ane_device.cpp - The Neural Engine as a device ---------------------===//
#include "runtime/device/ane/ane_device.h"

#include "runtime/device/ane/ane_program.h"

namespace ane::rt::engine {
namespace {

class AneDevice final : public Device {
public:
  explicit AneDevice(std::shared_ptr<const Framework> framework) : framework(std::move(framework)) {}

  std::string_view name() const override { return "ane"; }

  absl::StatusOr<std::unique_ptr<DeviceProgram>> create(const ProgramDesc &program) override {
    return AneProgram::create(framework, program);
  }

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
