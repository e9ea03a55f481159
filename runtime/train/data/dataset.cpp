//===- dataset.cpp - Examples to train with -------------------------------===//
#include "runtime/train/data/dataset.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/hash.h"
#include <algorithm>
#include <cmath>

namespace ane::rt::train {
namespace {

/// The stream of a seed that holds examples back; epochs never count so far.
constexpr uint64_t kSplitStream = ~uint64_t(0);

/// Some examples of another dataset.
class Part : public Dataset {
public:
  /// `chosen`: their numbers there, or empty for `count` from `first` on.
  Part(std::shared_ptr<const Dataset> whole, uint64_t first, uint64_t count, std::vector<uint64_t> chosen)
      : whole(std::move(whole)), first(first), count(count), chosen(std::move(chosen)) {}

  uint64_t size() const override { return count; }
  void read(uint64_t index, absl::Span<void *const> to) const override {
    whole->read(chosen.empty() ? first + index : chosen[index], to);
  }
  bool isText() const override { return whole->isText(); }
  std::string describe() const override {
    return absl::StrCat(whole->describe(), "; ", count, " of ", whole->size(), " examples");
  }
  std::string fingerprint() const override {
    Hash hash;
    std::string of = whole->fingerprint();
    hash.update(of.data(), of.size());
    for (uint64_t number : {first, count})
      hash.update(&number, sizeof number);
    hash.update(chosen.data(), chosen.size() * sizeof(uint64_t));
    return hash.digest();
  }

private:
  std::shared_ptr<const Dataset> whole;
  uint64_t first, count;
  std::vector<uint64_t> chosen;
};

} // namespace

void readBatch(const Dataset &dataset, const Signature &signature, absl::Span<const uint64_t> indices,
               absl::Span<void *const> to) {
  std::vector<void *> places(to.begin(), to.end());
  for (uint64_t index : indices) {
    dataset.read(index, places);
    for (size_t i = 0; i < places.size(); ++i)
      places[i] = static_cast<uint8_t *>(places[i]) + signature.fields[i].bytes();
  }
}

absl::StatusOr<Split> split(std::shared_ptr<const Dataset> dataset, double fraction, uint64_t seed) {
  if (!(fraction > 0 && fraction < 1))
    return absl::InvalidArgumentError(
        absl::StrCat("a share of ", fraction, " of the data for evaluation; expected more than 0 and less than 1"));
  uint64_t size = dataset->size();
  auto held = static_cast<uint64_t>(std::llround(fraction * static_cast<double>(size)));
  held = std::max<uint64_t>(held, 1);
  if (held >= size)
    return absl::InvalidArgumentError(absl::StrCat(dataset->describe(), ": ", held, " of ", size,
                                                   " examples for evaluation leave none to train with; remedy: more "
                                                   "data, shorter sequences, or a file of its own for evaluation"));
  auto part = [&](uint64_t first, uint64_t count, std::vector<uint64_t> chosen) {
    return std::make_shared<const Part>(dataset, first, count, std::move(chosen));
  };
  if (dataset->isText())
    return Split{part(0, size - held, {}), part(size - held, held, {})};
  Permutation drawn(size, seed, kSplitStream);
  std::vector<bool> isHeld(size);
  for (uint64_t i = 0; i < held; ++i)
    isHeld[drawn(i)] = true;
  std::vector<uint64_t> training, evaluation;
  for (uint64_t i = 0; i < size; ++i)
    (isHeld[i] ? evaluation : training).push_back(i);
  return Split{part(0, size - held, std::move(training)), part(0, held, std::move(evaluation))};
}

Feed::Feed(std::shared_ptr<const Dataset> dataset, uint64_t seed, bool shuffles)
    : data(std::move(dataset)), seed(seed), shuffles(shuffles) {}

std::vector<uint64_t> Feed::next(int64_t count) {
  std::vector<uint64_t> indices;
  for (int64_t i = 0; i < count; ++i) {
    indices.push_back(shuffles ? Permutation(data->size(), seed, place.epoch)(place.index) : place.index);
    if (++place.index == data->size())
      place = {place.epoch + 1, 0};
  }
  return indices;
}

void Feed::next(const Signature &signature, absl::Span<void *const> to) {
  readBatch(*data, signature, next(signature.batch), to);
}

absl::Status Feed::seek(const DataPosition &position) {
  if (position.index >= data->size())
    return absl::OutOfRangeError(absl::StrCat("position ", position.index, " of epoch ", position.epoch,
                                              " is beyond the ", data->size(), " examples of ", data->describe()));
  place = position;
  return absl::OkStatus();
}

} // namespace ane::rt::train
