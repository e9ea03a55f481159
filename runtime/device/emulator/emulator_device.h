//===- emulator_device.h - The emulated engine as a device ----------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_DEVICE_H
#define ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_DEVICE_H

#include "runtime/device/device.h"
#include "runtime/device/emulator/limits.h"
#include "runtime/device/emulator/machine.h"
#include "runtime/lint/target.h"

#include <memory>

namespace ane::rt::emulator {

struct EmulatorOptions {
  Mode mode = Mode::Lint;
  /// Of faithful mode. Others take new weights in any way.
  Machine machine;
  /// What lint and faithful mode judge by.
  lint::TargetSpelling target;
  /// Refuse weight records that contradict the text. The engine itself believes
  /// the text (ane-programming.md 3.4), but in a bundle a contradiction means a
  /// damaged file.
  bool strictBlobs = true;
  /// Of each program with its surfaces; tests make them small.
  Limits limits;
};

/// Texts are parsed when programs are created, weights read at `load`; programs share nothing with
/// whatever wrote them.
///
/// In lint mode a program that breaks a record is InvalidArgument, not a refusal
/// after which its CPU twin would run: a compiler that emits such a program, or
/// a bundle for another target, must be seen. The device stands for one process:
/// C05 counts its compilations, in lint mode without those of a program that it has compiled before.
std::unique_ptr<Device> makeEmulatorDevice(const EmulatorOptions &options = {});

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_EMULATOR_DEVICE_H
