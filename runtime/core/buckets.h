//===- buckets.h - Functions for several sizes as one ------------*- C++
//-*-===//
//
// A bundle may have a function of the model for each of several sizes of one
// dimension. This class takes inputs of any size, runs the smallest function
// that they fit in, filled up with zeros, and cuts outputs back. Where the model
// has no mask that hides what is filled up, only the sizes themselves run. That a
// mask does hide it is seen when a function is first filled up: it runs twice more,
// with other values there, and outputs must not change by a bit.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_BUCKETS_H
#define ANE_RUNTIME_CORE_BUCKETS_H

#include "runtime/core/executor.h"

namespace ane::rt {

class Buckets {
public:
  /// `record` is one of the bundle's manifest. Loads the smallest function; others when they are first needed.
  static absl::StatusOr<std::unique_ptr<Buckets>> create(std::shared_ptr<Bundle> bundle,
                                                         const manifest::Bucket &record);

  const manifest::Bucket &record() const { return bucket; }
  const std::shared_ptr<Bundle> &owner() const { return bundle; }
  /// Its Executor::cancelFlag() is that of all sizes, and ends prepare(), too.
  std::shared_ptr<Executor> smallest() const { return executors.front(); }
  /// Types have -1 where the dimension is; `bytes` are those of the largest size.
  const std::vector<Port> &inputs() const { return inputPorts; }
  const std::vector<Port> &outputs() const { return outputPorts; }

  /// Copies a value in, whose size `bytes` says. InvalidArgument, with what would fit, if no size does.
  absl::Status setInput(size_t index, const void *data, int64_t bytes);

  /// As Executor::setWeight(), for all sizes.
  absl::Status setWeight(const std::string &name, const void *data, int64_t bytes);

  /// Gives the inputs to the smallest function that they fit in: the next thing is its run. InvalidArgument if their
  /// sizes differ, or if they would have to be filled up and nothing hides that; what running it says.
  absl::StatusOr<std::shared_ptr<Executor>> prepare();

  /// The size that the inputs had at the last prepare().
  int64_t size() const { return currentSize; }

  /// An output of the last run, cut to the size of the inputs: dense, until the next call for this output.
  std::pair<const void *, int64_t> output(size_t index);

private:
  Buckets(std::shared_ptr<Bundle> bundle, const manifest::Bucket &record) : bundle(std::move(bundle)), bucket(record) {}
  absl::StatusOr<std::shared_ptr<Executor>> load(size_t entry);
  absl::Status fill(Executor &executor, int64_t size, bool withOnes);
  absl::Status checkMask(Executor &executor, int64_t size);
  absl::StatusOr<int64_t> sizeOf(size_t input, int64_t bytes) const;
  absl::StatusOr<int64_t> commonSize() const;
  std::string sizesText() const;
  manifest::TensorType typeFor(const Port &port, int64_t size) const;

  std::shared_ptr<Bundle> bundle;
  const manifest::Bucket &bucket;
  std::vector<Port> inputPorts, outputPorts;
  std::vector<std::shared_ptr<Executor>> executors; ///< null until it is needed
  std::vector<std::vector<uint8_t>> inputValues, outputValues;
  std::vector<bool> masked;        ///< of each executor: the mask is known to hide what is filled up
  std::vector<int64_t> inputSizes; ///< 0: an input without the dimension
  size_t current = 0;
  int64_t currentSize = 0;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_BUCKETS_H
