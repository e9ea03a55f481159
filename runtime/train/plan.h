//===- plan.h - What training will take ---------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_PLAN_H
#define ANE_RUNTIME_TRAIN_PLAN_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/format/manifest/memory.h"
#include "runtime/train/parameters.h"
#include <set>

namespace ane::rt::train {

struct TrainerOptions;

struct TrainingFiles {
  Folder folder;
  manifest::Manifest manifest; ///< with `training`
};
/// InvalidArgument, with the remedy, for a bundle that does not train.
absl::StatusOr<TrainingFiles> openTraining(const std::string &path);

/// Known before anything is loaded or run.
struct TrainingPlan {
  Parameters parameters;
  /// Parameters whose gradient is another output of the step, too, as those of two addends are: it can't be bound.
  std::set<std::string> sharedGradients;
  /// Places in parameters.all(), in the order in which gradients are computed, as far as that is known: what is not
  /// finite spoils those behind it, so that the first in trouble tells most.
  std::vector<size_t> gradientOrder;
  int64_t weightBytes = 0, gradientBytes = 0, momentBytes = 0;
  manifest::RunMemory step; ///< of its session, without what is bound to arenas
  /// The session's own copy of what the bundle's files hold of parameters that are trained.
  int64_t bakedBytes = 0;
  /// Of the bundle's files that hold what is not trained: they are mapped, and in memory as far as there is room.
  int64_t mappedBytes = 0;
  /// Of a step, with all of its micro-batches.
  int64_t evaluations = 0; ///< of programs on the device
  int64_t stagedBytes = 0; ///< copied into and out of surfaces, and into weight files, when all weights have changed

  int64_t arenaBytes() const { return weightBytes + gradientBytes + momentBytes; }
  /// "2.2 GB (540.0 MB for weights, ...)"
  std::string memoryText() const;
};

/// `device`: "cpu", or one that runs programs.
absl::StatusOr<TrainingPlan> planTraining(const manifest::Manifest &manifest, const TrainerOptions &options,
                                          const std::string &device);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_PLAN_H
