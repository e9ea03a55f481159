//===- emulator.h - The emulator, if it is there ----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_EMULATOR_H
#define ANE_RUNTIME_CORE_EMULATOR_H

#include "runtime/device/emulator/module.h"

namespace ane::rt {

/// Loads libanemone_emulator at the first call: from beside this library or
/// executable, or where the system looks. Unimplemented where it is not, or is of
/// another build.
absl::StatusOr<const emulator::Module *> emulatorModule();

/// For a program that links the emulator: `module` is used instead of the library.
void setEmulatorModule(const emulator::Module *module);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_EMULATOR_H
