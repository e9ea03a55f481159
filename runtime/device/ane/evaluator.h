//===- evaluator.h - What has requests evaluated ----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_EVALUATOR_H
#define ANE_RUNTIME_DEVICE_ANE_EVALUATOR_H

#include "runtime/device/ane/framework.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace ane::rt::engine {

/// Sends the requests of a device to the engine by one path, and falls back to the standard path.
class Evaluator {
public:
  explicit Evaluator(std::shared_ptr<const Framework> framework) : framework(std::move(framework)) {}

  /// From now on. Unimplemented where the framework lacks it: nothing changes then.
  absl::Status take(EvaluationPath path);
  EvaluationPath taken() const { return path; }
  /// Where the path fails and the standard one does not, that is taken from then on, and `note` says so.
  absl::Status evaluate(const std::string &subject, objc::Id model, objc::Id request, std::string &note);
  /// Framework::chain().
  absl::Status chain(const std::string &subject, objc::Id model, const std::vector<Bound> &inputs,
                     const std::vector<Bound> &outputs, int64_t procedure);

private:
  /// Made once, and stays.
  absl::StatusOr<objc::Id> clientOf(EvaluationPath path);

  const std::shared_ptr<const Framework> framework;
  std::mutex mutex;
  objc::Owned clients[std::size(kEvaluationPaths)]; ///< that of `path` is there
  std::atomic<EvaluationPath> path{EvaluationPath::Standard};
};

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_EVALUATOR_H
