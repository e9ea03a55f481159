//===- devices.cpp - The devices of this build ----------------------------===//
#include "runtime/core/devices.h"
#include "absl/strings/str_cat.h"
#include "runtime/device/emulator/emulator_device.h"

namespace ane::rt {

absl::Status checkDeviceName(const std::string &name) {
  if (name == "auto" || name == "emulator" || name == "cpu")
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("device: is \"", name, "\", expected auto, emulator or cpu"));
}

absl::StatusOr<std::unique_ptr<Device>> makeDevice(const std::string &name, const std::string &emulatorMode,
                                                   const lint::TargetSpelling &target) {
  if (absl::Status status = checkDeviceName(name); !status.ok())
    return status;
  if (name != "emulator")
    return std::unique_ptr<Device>();
  emulator::EmulatorOptions options;
  options.target = target;
  if (!emulatorMode.empty()) {
    auto mode = emulator::modeFromName(emulatorMode);
    if (!mode.ok())
      return mode.status();
    options.mode = *mode;
  }
  return emulator::makeEmulatorDevice(options);
}

} // namespace ane::rt
