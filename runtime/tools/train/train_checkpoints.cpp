//===- train_checkpoints.cpp - Where a run of ane-train is kept -----------===//
#include "runtime/tools/train/train_run.h"

namespace ane::rt::tools {
absl::Status TrainRun::openCheckpoints(const std::string &, const train::TrainingFiles &) { return absl::OkStatus(); }
absl::Status TrainRun::save() { return absl::OkStatus(); }
absl::Status TrainRun::exportWeights() { return absl::OkStatus(); }
} // namespace ane::rt::tools
