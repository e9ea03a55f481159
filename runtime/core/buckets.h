//===- buckets.h - Functions for several sizes as one -----------*- C++ -*-===//
//
// A bundle may have a function of the model for each of several sizes of one
// dimension. This class takes inputs of any size, runs the smallest function
// that they fit in, filled up with zeros, and cuts outputs back. A state that has an
// entry for each place of the dimension gets those of the input's places only.
// That nothing else shows of what is filled up is seen when a function is first
// filled up: it runs once before, with other values there, and neither an output nor
// what becomes of a state may differ by a bit. All sizes share the states.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_BUCKETS_H
#define ANE_RUNTIME_CORE_BUCKETS_H

#include "runtime/core/executor.h"

namespace ane::rt {

class Buckets {
public:
  /// `record` is one of the bundle's manifest. Loads the smallest function; others when they are first needed.
  /// `origin`: of the same bundle; its states are shared, and its weights copied.
  static absl::StatusOr<std::unique_ptr<Buckets>> create(std::shared_ptr<Bundle> bundle, const manifest::Bucket &record,
                                                         const Executor *origin = nullptr);
  /// The same with copies of states and weights; inputs are not set.
  absl::StatusOr<std::unique_ptr<Buckets>> fork() const;

  const manifest::Bucket &record() const { return bucket; }
  const std::shared_ptr<Bundle> &owner() const { return bundle; }
  /// Its Executor::cancelFlag() is that of all sizes.
  std::shared_ptr<Executor> smallest() const { return executors.front(); }
  /// Of each size, smallest first; null where none has been needed.
  const std::vector<std::shared_ptr<Executor>> &all() const { return executors; }
  /// As Executor::copies(), of all sizes together.
  Copies copies() const;
  /// Types have -1 where the dimension is; `bytes` are those of the largest size.
  const std::vector<Port> &inputs() const { return inputPorts; }
  const std::vector<Port> &outputs() const { return outputPorts; }

  /// Copies a value in, whose size `bytes` says. InvalidArgument, with what would fit, if no size does.
  absl::Status setInput(size_t index, const void *data, int64_t bytes);

  /// As Executor::setWeight(), for all sizes.
  absl::Status setWeight(const std::string &name, const void *data, int64_t bytes, bool stays = false);

  /// Chooses the smallest function that the inputs fit in. InvalidArgument if their sizes differ, or if they would have
  /// to be filled up and nothing hides that.
  absl::StatusOr<std::shared_ptr<Executor>> prepare();
  /// Runs what prepare() has chosen, as Executor::run() does. FailedPrecondition if what inputs are filled up with
  /// shows.
  absl::Status run();

  /// The size that the inputs had at the last prepare().
  int64_t size() const { return currentSize; }

  /// An output of the last run, cut to the size of the inputs: dense, until the next call for this output.
  std::pair<const void *, int64_t> output(size_t index);

private:
  /// What a run has made of each output and state.
  using Results = std::vector<std::string>;

  Buckets(std::shared_ptr<Bundle> bundle, const manifest::Bucket &record, std::shared_ptr<Executor> smallest);
  absl::StatusOr<std::shared_ptr<Executor>> load(size_t entry);
  absl::Status fill(Executor &executor, bool withOnes);
  absl::Status runAndCompare(Executor &executor);
  Results results(const Executor &executor);
  absl::Status checkAlike(const Executor &executor, const Results &zeros, const Results &ones) const;
  absl::StatusOr<int64_t> sizeOf(size_t input, int64_t bytes) const;
  absl::StatusOr<int64_t> commonSize() const;
  std::string sizesText() const;
  manifest::TensorType typeFor(const Port &port, int64_t size) const;

  std::shared_ptr<Bundle> bundle;
  const manifest::Bucket &bucket;
  std::vector<Port> inputPorts, outputPorts;
  std::vector<std::shared_ptr<Executor>> executors; ///< all()
  std::vector<std::vector<uint8_t>> inputValues, outputValues;
  std::vector<size_t> statesAlong; ///< manifest::statesAlong()
  std::vector<bool> checked;       ///< of each executor: what inputs are filled up with is known not to show
  std::vector<int64_t> inputSizes; ///< 0: an input without the dimension
  size_t current = 0;
  int64_t currentSize = 0;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_BUCKETS_H
