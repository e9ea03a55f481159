//===- devices.h - The devices of this build --------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_DEVICES_H
#define ANE_RUNTIME_CORE_DEVICES_H

#include "runtime/device/device.h"
#include "runtime/device/energy.h"
#include "runtime/format/manifest/manifest.h"

namespace ane::rt {

/// InvalidArgument for a name that makeDevice does not know.
absl::Status checkDeviceName(const std::string &name);

/// What "auto" is: the engine where there is one, else the CPU. The emulator shows what the engine would compute and is
/// never a default. Other names are what they are.
std::string resolvedDevice(const std::string &name);

/// Whether the device of that name runs programs; the CPU runs host functions
/// instead.
bool hasPrograms(const std::string &name);

/// The device of that name, or null for the CPU. "ane:FILE" is the engine as a library has it that stands for the
/// system's framework.
/// `target` is what the emulator judges by. Unimplemented for a device that
/// this runtime does not have.
absl::StatusOr<std::unique_ptr<Device>> makeDevice(const std::string &name, const std::string &emulatorMode,
                                                   const manifest::Target &target);

/// What the machine uses up, by the system of such a device; null where it does not tell.
std::unique_ptr<EnergyMeter> energyMeter(const std::string &name);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_DEVICES_H
