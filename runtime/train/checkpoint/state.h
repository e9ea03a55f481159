//===- state.h - What a run is between two steps -----------------*- C++ -*-===//
//
// state.json of a checkpoint. Numbers of floating point are written so that the
// same bits come back; infinities and NaN are strings.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TRAIN_CHECKPOINT_STATE_H
#define ANE_RUNTIME_TRAIN_CHECKPOINT_STATE_H

#include "absl/status/statusor.h"
#include "runtime/format/manifest/manifest.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::train {

/// Version of state.json and of a checkpoint's folder. A reader refuses every other value.
inline constexpr int64_t kCheckpointVersion = 2;

/// What must be the same where a checkpoint is used.
struct Identity {
  /// Of the training record: loss, target, sweep and what else says how weights become others.
  std::string training;
  struct Parameter {
    std::string name;
    manifest::TensorType type;
  };
  std::vector<Parameter> parameters; ///< in the order of names
  std::vector<std::string> graph;    ///< what the model computes (manifest::Training)
};

/// Of a manifest that trains and has passed verify().
Identity identityOf(const manifest::Manifest &manifest);

/// All but the arrays. Fields that a run has no use for keep their defaults.
struct RunState {
  int64_t step = 0;       ///< steps that are done
  int64_t updates = 0;    ///< of the weights
  int64_t microBatch = 0; ///< of the step that has begun; checkpoints are made between steps, where it is 0

  std::string optimizer;
  /// Numbers by name that a run begins with and must go on with: "rate", "decay", "beta1", "clip", "batch" ...
  std::map<std::string, double> hyperParameters;
  /// The same of words: "schedule" ...
  std::map<std::string, std::string> settings;

  uint64_t seed = 0;
  uint64_t epoch = 0, index = 0; ///< DataPosition
  std::string data;              ///< Dataset::fingerprint()

  double lossScale = 1;
  int64_t finiteSteps = 0, skippedSteps = 0; ///< LossScale::State

  std::optional<double> lastLoss, bestLoss, lastEvaluation, bestEvaluation;
  std::string device, host; ///< where it ran
};

/// How a run differs from what is to go on: "optimizer is "sgd" there and "adamw" here"; empty if in nothing that
/// matters. Compared are optimizer, hyperParameters, settings, seed and data.
std::string difference(const RunState &there, const RunState &here);
/// The same of models.
std::string difference(const Identity &there, const Identity &here);

/// A file beside state.json, and its hash.
struct StoredFile {
  std::string name;
  int64_t bytes = 0;
  std::string hash; ///< support/hash.h
};

/// The content of state.json.
struct StateFile {
  RunState run;
  Identity identity;
  std::vector<StoredFile> files;
};

std::string printState(const StateFile &state);
/// Errors name `name`, the field, its value and what is expected.
absl::StatusOr<StateFile> parseState(std::string_view json, const std::string &name);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_CHECKPOINT_STATE_H
