//===- run_options.h - Command line of ane-run ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_RUN_OPTIONS_H
#define ANE_RUNTIME_TOOLS_RUN_OPTIONS_H

#include "absl/status/statusor.h"
#include "runtime/core/bundle.h"
#include "runtime/lint/target.h"
#include "runtime/tools/language_options.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ane::rt::tools {

struct RunOptions {
  bool help = false, version = false;
  std::string bundle; ///< or mil
  std::string mil, weights;
  std::string probe; ///< empty: none; else there is neither bundle nor mil
  std::string function, emulatorMode;
  std::string atCompileLimit = "restart"; ///< or "stay"
  std::string evaluation = "auto";        ///< DeviceChoice::evaluation
  lint::TargetSpelling target;            ///< of mil
  std::string device = "auto", compareDevice;
  NumericPolicy numeric = NumericPolicy::Rescue;
  /// Name and .npy file.
  std::vector<std::pair<std::string, std::string>> inputs;
  std::string outputDir, restoreStates, saveStates, trace;
  std::string adapter; ///< a folder; empty: none
  bool randomInputs = false, profile = false, verify = false, json = false;
  Trust trust = Trust::Owner;
  int64_t seed = 0, repeat = 1, threads = 0, memoryLimit = 0; ///< 0: as the machine says
  LanguageOptions language;
};

/// Whether messages are to be JSON, also about arguments that are wrong.
bool asksForJson(const std::vector<std::string> &arguments);

/// InvalidArgument with a message for the user.
absl::StatusOr<RunOptions> parseRunOptions(const std::vector<std::string> &arguments);

std::string runHelp();

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_RUN_OPTIONS_H
