//===- run_mil.h - One MIL program on the emulator, from files to files ---===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_RUN_MIL_H
#define ANE_RUNTIME_DEVICE_EMULATOR_RUN_MIL_H

#include "absl/status/status.h"
#include "runtime/lint/target.h"

#include <string>
#include <utility>
#include <vector>

namespace ane::rt::emulator {

/// What `ane-run --mil` takes.
struct RunMilOptions {
  std::string milPath;
  /// Empty: "main", or the only function there is.
  std::string function;
  /// What `@model_path` stands for; empty: the folder of the program.
  std::string modelDir;
  /// As written on the command line; see parseBehaviours.
  std::string mode = "lint";
  /// What lint and faithful mode judge by.
  lint::TargetSpelling target;
  /// Pairs of parameter name and .npy file. Floats are rounded to the
  /// parameter's type; integers must fit it.
  std::vector<std::pair<std::string, std::string>> inputs;
  /// Each result is written to NAME.npy here with the type that the program
  /// declares. The folder is made when it is not there; empty: nothing is
  /// written.
  std::string outputDir;
};

/// Weight records that contradict the text are taken as the engine takes them
/// (EmulatorOptions::strictBlobs is off).
absl::Status runMil(const RunMilOptions &options);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_RUN_MIL_H
