//===- train_options.h - Command line of ane-train ---------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TRAIN_TRAIN_OPTIONS_H
#define ANE_RUNTIME_TOOLS_TRAIN_TRAIN_OPTIONS_H

#include "absl/status/statusor.h"
#include "runtime/train/trainer.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ane::rt::tools {

struct TrainOptions {
  bool help = false, version = false, json = false, dryRun = false, resume = false;
  std::string model;  ///< a training bundle, or what ane-compile reads
  std::string bundle; ///< where the bundle of a model is kept; empty: nowhere
  /// Of a model that is compiled; 0 or empty: what ane-compile takes.
  int64_t batch = 0, sequence = 0;
  std::string loss;
  /// Of a model: options of ane-compile by their names; empty ones are not given.
  std::map<std::string, std::string> compilerOptions;
  std::string adapters; ///< as ane-compile --lora has them; empty: all parameters are trained
  std::vector<std::string> compilerFlags;
  std::vector<std::string> data, evaluationData;
  double evaluationSplit = 0; ///< share of the data
  int64_t steps = 0, evaluateEvery = 0, saveEvery = 0, keep = 0, seed = 0;
  std::string out, log, exportPath;
  bool merges = false;        ///< adapters are exported as a part of their model
  std::string initialAdapter; ///< a folder in PEFT's format; empty: none
  std::string source;         ///< what the bundle was made of; of a model that itself

  std::string atCompileLimit = "restart"; ///< or "stay"

  train::TrainerOptions trainer;
};

/// InvalidArgument with a message for the user.
absl::StatusOr<TrainOptions> parseTrainOptions(const std::vector<std::string> &arguments);

std::string trainHelp();

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TRAIN_TRAIN_OPTIONS_H
