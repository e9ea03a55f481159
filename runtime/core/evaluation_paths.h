//===- evaluation_paths.h - Which path of evaluation pays -------*- C++ -*-===//
//
// Sources have measured paths beside the standard one that are faster, as fast and
// slower than it (ane-programming.md 1.6). So a machine is measured, by who asks for
// it, and what was found is kept for its chip and build of the system, for later
// processes.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_EVALUATION_PATHS_H
#define ANE_RUNTIME_CORE_EVALUATION_PATHS_H

#include "runtime/device/ane/ane_device.h"

#include <optional>
#include <string>
#include <vector>

namespace ane::rt {

/// Channels and columns of the programs that are timed: those that sources have timed.
struct ProbedSize {
  int64_t channels, columns;
};
constexpr ProbedSize kProbedSizes[] = {{64, 32}, {768, 256}};

struct ProbedPath {
  engine::EvaluationPath path;
  std::string why;                       ///< why it does not work, empty where it does
  std::vector<double> microseconds = {}; ///< median of each size
};

/// The standard one is the first.
using ProbedPaths = std::vector<ProbedPath>;

/// Two compilations at most, and evaluations for about a second. A path works if its values are right, before and after
/// it is timed; paths take turns, so that a machine that slows down slows down all of them. The path of the device is
/// as before. An error where the standard path does not work.
absl::StatusOr<ProbedPaths> probeEvaluationPaths(engine::AneDevice &device);

/// Takes a path that a user asks for, after one evaluation whose values tell. FailedPrecondition where they are wrong;
/// one that fails is taken, as the first evaluation goes back to the standard one.
absl::Status takePath(engine::AneDevice &device, engine::EvaluationPath path);

/// The fastest, if it is faster than the standard one by 5 % in each of the sizes.
engine::EvaluationPath bestOf(const ProbedPaths &paths);

/// Keeps it for a chip and build (engine::chipAndBuild()) in a file of the user's caches, or of the folder that
/// ANE_CACHE_DIR names. FailedPrecondition where there is neither.
absl::Status keepPath(const std::string &chipAndBuild, engine::EvaluationPath path);
/// What was kept, if it is for the machine of these libraries, which is only asked if something was.
std::optional<engine::EvaluationPath> keptPath(const std::vector<std::string> &libraries);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_EVALUATION_PATHS_H
