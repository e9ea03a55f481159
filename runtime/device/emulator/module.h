//===- module.h - The emulator as a part of its own -----------------------===//
//
// The emulator and what it links, OpenBLAS above all, are a shared library of
// their own (libanemone_emulator), which the runtime loads when somebody asks for
// the device: who needs the CPU only need not have it. Its kernels are compiled
// for newer processors than the rest; nothing of the rest can be taken from it.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_MODULE_H
#define ANE_RUNTIME_DEVICE_EMULATOR_MODULE_H

#include "runtime/device/device.h"
#include "runtime/device/emulator/run_mil.h"

namespace ane::rt::emulator {

/// What the library offers. It and its user are of one build: `version` is
/// compared before anything else is used.
struct Module {
  const char *version;
  /// InvalidArgument with the modes there are; an empty name is the default.
  absl::Status (*checkMode)(const std::string &mode);
  absl::Status (*checkTarget)(const lint::TargetSpelling &target);
  absl::StatusOr<std::unique_ptr<Device>> (*makeDevice)(const std::string &mode, const lint::TargetSpelling &target);
  absl::Status (*runMil)(const RunMilOptions &options);
};

} // namespace ane::rt::emulator

/// The only symbol that the library exports.
extern "C" const ane::rt::emulator::Module *ane_emulator_module();

#endif // ANE_RUNTIME_DEVICE_EMULATOR_MODULE_H
