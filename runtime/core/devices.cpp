//===- devices.cpp - The devices of this build ----------------------------===//
#include "runtime/core/devices.h"
#include "absl/strings/str_cat.h"
#include "runtime/device/emulator/emulator_device.h"

namespace ane::rt {

absl::StatusOr<std::unique_ptr<Device>> makeDevice(const std::string &name, const std::string &emulatorMode,
                                                   const lint::TargetSpelling &target) {
  if (name == "cpu" || name == "auto")
    return std::unique_ptr<Device>();
  if (name == "emulator") {
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
  return absl::InvalidArgumentError(absl::StrCat("device: is \"", name, "\", expected auto, emulator or cpu"));
}

} // namespace ane::rt
