//===- devices.cpp - The devices of this build ----------------------------===//
#include "runtime/core/devices.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/emulator.h"
#include "runtime/device/ane/ane_device.h"
#include "runtime/device/ane/ioreport.h"

namespace ane::rt {

namespace {

/// "ane:FILE" names a library that has the framework.
constexpr char kAneWith[] = "ane:";

} // namespace

absl::Status checkDeviceName(const std::string &name) {
  if (name == "auto" || name == "ane" || name == "emulator" || name == "cpu" ||
      (absl::StartsWith(name, kAneWith) && name != kAneWith))
    return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("device: is \"", name, "\", expected auto, ane, emulator or cpu"));
}

std::string resolvedDevice(const std::string &name) {
  if (name != "auto")
    return name;
  static const bool hasEngine = engine::makeAneDevice().ok();
  return hasEngine ? "ane" : "cpu";
}

bool hasPrograms(const std::string &name) { return resolvedDevice(name) != "cpu"; }

std::unique_ptr<EnergyMeter> energyMeter(const std::string &name) {
  std::vector<std::string> libraries;
  if (absl::StartsWith(name, kAneWith))
    libraries.push_back(name.substr(sizeof kAneWith - 1));
  auto meter = engine::makeEnergyMeter(libraries);
  return meter.ok() ? *std::move(meter) : nullptr;
}

absl::StatusOr<std::unique_ptr<Device>> makeDevice(const std::string &name, const std::string &emulatorMode,
                                                   const manifest::Target &target) {
  if (absl::Status status = checkDeviceName(name); !status.ok())
    return status;
  const std::string device = resolvedDevice(name);
  if (device == "cpu")
    return std::unique_ptr<Device>();
  if (device == "ane")
    return engine::makeAneDevice();
  if (absl::StartsWith(device, kAneWith))
    return engine::makeAneDevice({device.substr(sizeof kAneWith - 1)});
  auto module = emulatorModule();
  if (!module.ok())
    return module.status();
  return (*module)->makeDevice(emulatorMode, {target.chip, target.route, target.os, target.strictness});
}

} // namespace ane::rt
