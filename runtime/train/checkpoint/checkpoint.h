//===- checkpoint.h - Saves runs and goes on with them -----------*- C++ -*-===//
//
// A run's folder has a folder for each checkpoint, step-000123, with
//
//   weights.safetensors    a float32 tensor for each parameter, of its name
//   optimizer.safetensors  its moments, "first.NAME", "second.NAME" ...; none for SGD without momentum
//   state.json             all else (state.h), and the hashes of the two
//
// A checkpoint is whole or absent: it is written beside its place (support/unfinished.h),
// all of it is brought to the disk, and it gets its name in one step. Older ones are removed
// after that, so that a full disk loses nothing.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TRAIN_CHECKPOINT_CHECKPOINT_H
#define ANE_RUNTIME_TRAIN_CHECKPOINT_CHECKPOINT_H

#include "absl/types/span.h"
#include "runtime/train/checkpoint/state.h"

namespace ane::rt::train {

inline constexpr char kWeightsFile[] = "weights.safetensors";
inline constexpr char kMomentsFile[] = "optimizer.safetensors";
inline constexpr char kStateFile[] = "state.json";

/// An array of a run, in the trainer's memory.
struct RunArray {
  std::string moment; ///< "first" ...; empty for the weight itself
  std::string name;   ///< of the parameter
  std::vector<int64_t> shape;
  float *data; ///< row-major
};

/// Whether a checkpoint can be begun below `folder`, which is created if need be: known before there is anything to
/// lose.
absl::Status checkCheckpoints(const std::string &folder);

/// Writes the checkpoint of state.step below `folder`, which is created if need be, and removes all but the `keep`
/// newest ones (0: keeps all). A checkpoint of this step that is there is replaced. Gives its path. After an error all
/// is as before: ResourceExhausted for a full disk.
absl::StatusOr<std::string> saveCheckpoint(const std::string &folder, const RunState &state, const Identity &identity,
                                           absl::Span<const RunArray> arrays, int64_t keep);

/// The steps of which `folder` has a checkpoint, ascending; of none if there is no such folder. What killed processes
/// left is removed.
std::vector<int64_t> listCheckpoints(const std::string &folder);
std::string checkpointPath(const std::string &folder, int64_t step);

/// `path` if it is a checkpoint, or the newest one below it. NotFound if there is none.
absl::StatusOr<std::string> findCheckpoint(const std::string &path);

/// Reads state.json alone.
absl::StatusOr<StateFile> readCheckpointState(const std::string &path);

/// Fills the arrays with those of a checkpoint, as findCheckpoint() gives it, and gives its state. InvalidArgument if
/// it is of another model, dtype or version, and says in what it differs; DataLoss for damaged files. Nothing is filled
/// then. Arrays and the checkpoint's are the same ones.
absl::StatusOr<RunState> loadCheckpoint(const std::string &path, const Identity &identity,
                                        absl::Span<const RunArray> arrays);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_CHECKPOINT_CHECKPOINT_H
