//===- devices.cpp - The devices of this build ----------------------------===//
#include "runtime/core/devices.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/emulator.h"

namespace ane::rt {

absl::Status checkDeviceName(const std::string &name) {
  if (name == "auto" || name == "emulator" || name == "cpu")
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("device: is \"", name, "\", expected auto, emulator or cpu"));
}

bool hasPrograms(const std::string &name) { return name == "emulator"; }

absl::StatusOr<std::unique_ptr<Device>> makeDevice(const std::string &name, const std::string &emulatorMode,
                                                   const manifest::Target &target) {
  if (absl::Status status = checkDeviceName(name); !status.ok())
    return status;
  if (!hasPrograms(name))
    return std::unique_ptr<Device>();
  auto module = emulatorModule();
  if (!module.ok())
    return module.status();
  return (*module)->makeDevice(emulatorMode, {target.chip, target.route, target.os, target.strictness});
}

} // namespace ane::rt
