//===- dataset.h - Examples to train with ------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_DATA_DATASET_H
#define ANE_RUNTIME_TRAIN_DATA_DATASET_H

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "runtime/train/data/order.h"
#include "runtime/train/data/signature.h"

#include <memory>

namespace ane::rt::train {

/// Examples by number, for any thread.
class Dataset {
public:
  virtual ~Dataset() = default;

  /// Above 0.
  virtual uint64_t size() const = 0;
  /// The values of an example, each to where `to` says, dense; in the order of Signature::fields.
  virtual void read(uint64_t index, absl::Span<void *const> to) const = 0;
  /// Whether examples follow each other in a text, so that neighbours resemble each other.
  virtual bool isText() const = 0;
  /// "stories.txt: 120431 tokens of 12 documents, 470 examples of 256"
  virtual std::string describe() const = 0;
  /// A hash of all examples (support/hash.h): that of another dataset is another one.
  virtual std::string fingerprint() const = 0;
};

/// Values of `indices.size()` examples, side by side as axis 0 of each of `to`.
void readBatch(const Dataset &dataset, const Signature &signature, absl::Span<const uint64_t> indices,
               absl::Span<void *const> to);

/// One dataset in two that have no example in common.
struct Split {
  std::shared_ptr<const Dataset> training, evaluation;
};

/// Holds back round(fraction * size) examples, at least one: of a text the last ones, of other data those that `seed`
/// draws, in the order of the dataset. InvalidArgument if that leaves nothing to train with, or `fraction` is not
/// between 0 and 1.
absl::StatusOr<Split> split(std::shared_ptr<const Dataset> dataset, double fraction, uint64_t seed);

/// Where training stands: `index` examples of epoch `epoch` are behind it.
struct DataPosition {
  uint64_t epoch = 0, index = 0;
};

/// Gives the examples of a dataset, one epoch after the other, each example once in an epoch and in another order in
/// each. The order follows from seed and epoch alone: a position is all that is needed to go on.
class Feed {
public:
  /// Without `shuffles`, in the order of the dataset.
  Feed(std::shared_ptr<const Dataset> dataset, uint64_t seed, bool shuffles = true);

  /// The next `count` examples, over the end of an epoch if need be.
  std::vector<uint64_t> next(int64_t count);
  /// The same, read as readBatch() does.
  void next(const Signature &signature, absl::Span<void *const> to);

  const DataPosition &position() const { return place; }
  /// OutOfRange if the dataset has fewer examples.
  absl::Status seek(const DataPosition &position);
  const Dataset &dataset() const { return *data; }

private:
  std::shared_ptr<const Dataset> data;
  uint64_t seed;
  bool shuffles;
  DataPosition place;
};

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_DATA_DATASET_H
