//===- run_session.h - What ane-run runs ------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_RUN_SESSION_H
#define ANE_RUNTIME_TOOLS_RUN_SESSION_H

#include "runtime/core/buckets.h"
#include "runtime/tools/run_options.h"

namespace ane::rt::tools {

/// The bundle that the options name, for a device.
absl::StatusOr<std::shared_ptr<Bundle>> openBundle(const RunOptions &options, const std::string &device);

/// What is wrong with the value of --adapter.
absl::Status adapterError(const absl::Status &problem);

/// A function of a bundle, or one with buckets, which takes inputs of any size.
class RunSession {
public:
  static absl::StatusOr<std::unique_ptr<RunSession>> create(std::shared_ptr<Bundle> bundle,
                                                            const std::string &function);

  /// Shapes have -1 where buckets differ.
  const std::vector<Port> &inputs() const { return buckets ? buckets->inputs() : executor->inputs(); }
  /// `data` has the bytes of the input, or of what it is for one size.
  absl::Status setInput(size_t index, const void *data, int64_t bytes);
  /// The size of the largest bucket, which inputs have that nobody gives; 1 if there are none.
  int64_t largestSize() const { return buckets ? buckets->record().sizes.back() : 1; }

  /// Computes with the adapter in a folder from now on.
  absl::Status setAdapter(const std::string &folder);
  absl::Status run();
  /// Executor::traceTo() of what runs.
  void traceTo(std::vector<Span> *trace) { spans = trace; }

  /// What ran last.
  Executor &running() { return *executor; }
  const Executor &running() const { return *executor; }
  /// Of the last run, as large as the inputs.
  std::vector<Port> outputs() const;

private:
  std::unique_ptr<Buckets> buckets; ///< null: of one function
  std::shared_ptr<Executor> executor;
  std::vector<Span> *spans = nullptr;
};

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_RUN_SESSION_H
