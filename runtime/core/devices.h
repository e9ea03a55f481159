//===- devices.h - The devices of a process ---------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_DEVICES_H
#define ANE_RUNTIME_CORE_DEVICES_H

#include "runtime/core/program_cache.h"
#include "runtime/core/shared_table.h"
#include "runtime/device/energy.h"
#include "runtime/format/manifest/manifest.h"

namespace ane::rt {

/// What a bundle asks of a device.
struct DeviceChoice {
  /// "ane", "emulator", "cpu", or "auto": the engine where there is one, else the CPU; the emulator shows what the
  /// engine would compute and is never a default. "ane:FILE" is the engine as a library has it that stands for the
  /// system's framework.
  std::string name = "auto";
  std::string mode;        ///< how the emulator treats misuse; empty is its default
  manifest::Target target; ///< what the emulator judges by
  /// How the engine is to evaluate: a path's name, or "auto", what was kept of a probe (evaluation_paths.h), else the
  /// standard one. A path that is named is that of all who use the engine in the process.
  std::string evaluation = "auto";
};

/// InvalidArgument for a name that is none of a device.
absl::Status checkDeviceName(const std::string &name);

/// The device, or null for the CPU. Unimplemented for one that this runtime does not have.
absl::StatusOr<std::unique_ptr<Device>> makeDevice(const DeviceChoice &choice);

/// The devices of a process, with what is on them: an engine is one, whoever uses it, so that contexts share its
/// budgets.
class Devices {
public:
  static std::shared_ptr<Devices> process();

  /// Null for the CPU. An engine stays until the process ends, since it counts compilations for so long; an emulator,
  /// one for each mode and target, as long as someone uses it.
  absl::StatusOr<std::shared_ptr<DevicePrograms>> get(const DeviceChoice &choice);

private:
  SharedTable<std::string, DevicePrograms> devices;
  std::mutex mutex;
  std::vector<std::shared_ptr<DevicePrograms>> engines;
};

/// What stands for the system's libraries, by the name of a device; empty: nothing does.
std::vector<std::string> librariesOf(const std::string &name);

/// What is to be said of a bundle for `chips` on a device: where that is the engine of a machine whose chip a record
/// knows, and which has other capabilities than those. Else empty.
std::string noteOfChips(const std::string &device, const std::string &chips);

/// What the machine uses up, by the system of such a device; null where it does not tell.
std::unique_ptr<EnergyMeter> energyMeter(const std::string &name);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_DEVICES_H
