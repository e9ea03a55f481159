//===- emulator_device.h - The emulated engine as a device ----------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_DEVICE_H
#define ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_DEVICE_H

#include "runtime/device/device.h"
#include "runtime/device/emulator/numeric_model.h"

#include <memory>

namespace ane::rt::emulator {

struct EmulatorOptions {
  Mode mode = Mode::Plain;
  /// Refuse weight records that contradict the text. The engine itself believes
  /// the text (ane-programming.md 3.4), but in a bundle a contradiction means a
  /// damaged file.
  bool strictBlobs = true;
};

/// Programs are parsed from disk at `load`, together with their weights; they
/// share nothing with whatever wrote them.
std::unique_ptr<Device> makeEmulatorDevice(const EmulatorOptions &options = {});

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_DEVICE_H
