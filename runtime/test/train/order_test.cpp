// Shuffling, splits and positions.
#include "runtime/train/data/dataset.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

using namespace ane::rt;
using namespace ane::rt::train;

namespace {

/// Example i has the value i.
class Numbers : public Dataset {
public:
  explicit Numbers(uint64_t count, bool text = false) : count(count), text(text) {}
  uint64_t size() const override { return count; }
  void read(uint64_t index, absl::Span<void *const> to) const override {
    *static_cast<int64_t *>(to[0]) = static_cast<int64_t>(index);
  }
  bool isText() const override { return text; }
  std::string describe() const override { return "numbers"; }
  std::string fingerprint() const override { return "numbers"; }

private:
  uint64_t count;
  bool text;
};

Signature numberSignature(int64_t batch) {
  Signature signature;
  signature.fields = {{"x", {ElementType::Int64, {}}}};
  signature.batch = batch;
  return signature;
}

/// The values of a dataset, in its order.
std::vector<int64_t> valuesOf(const Dataset &dataset) {
  std::vector<int64_t> values(dataset.size());
  for (uint64_t i = 0; i < dataset.size(); ++i) {
    void *place = &values[i];
    dataset.read(i, absl::MakeSpan(&place, 1));
  }
  return values;
}

TEST(Permutation, HasEachNumberOnce) {
  for (uint64_t size : {1, 2, 3, 4, 5, 15, 16, 17, 255, 1000, 65537})
    for (uint64_t stream : {0, 1}) {
      Permutation permutation(size, 42, stream);
      std::vector<bool> seen(size);
      for (uint64_t i = 0; i < size; ++i) {
        uint64_t number = permutation(i);
        ASSERT_LT(number, size);
        ASSERT_FALSE(seen[number]) << number << " of " << size << " comes twice";
        seen[number] = true;
      }
    }
}

TEST(Permutation, TakesAnySize) {
  for (uint64_t size : {(uint64_t(1) << 62) + 1, ~uint64_t(0)}) {
    Permutation permutation(size, 7, 0);
    EXPECT_LT(permutation(0), size);
    EXPECT_NE(permutation(0), permutation(size - 1));
  }
}

TEST(Permutation, PlacesAreAsLikely) {
  // How often number n stands at place p, of 6000 permutations of 5 numbers: 1200, give or take five deviations of 31.
  int counts[5][5] = {};
  for (uint64_t stream = 0; stream < 6000; ++stream) {
    Permutation permutation(5, 1, stream);
    for (uint64_t place = 0; place < 5; ++place)
      ++counts[place][permutation(place)];
  }
  for (auto &row : counts)
    for (int count : row)
      EXPECT_NEAR(count, 1200, 155);
}

TEST(Permutation, SeedsAndStreamsDiffer) {
  auto all = [](uint64_t seed, uint64_t stream) {
    std::vector<uint64_t> numbers;
    for (uint64_t i = 0; i < 100; ++i)
      numbers.push_back(Permutation(100, seed, stream)(i));
    return numbers;
  };
  EXPECT_EQ(all(1, 0), all(1, 0));
  EXPECT_NE(all(1, 0), all(2, 0));
  EXPECT_NE(all(1, 0), all(1, 1));
  EXPECT_NE(all(1, 0), all(1 + (uint64_t(1) << 32), 0));
  std::vector<uint64_t> sorted(100);
  std::iota(sorted.begin(), sorted.end(), 0);
  EXPECT_NE(all(1, 0), sorted);
}

TEST(Feed, GoesOnFromItsPosition) {
  auto data = std::make_shared<const Numbers>(10);
  Feed whole(data, 3);
  std::vector<uint64_t> expected = whole.next(57);
  for (size_t epoch = 0; epoch < 5; ++epoch) {
    std::vector<uint64_t> sorted(expected.begin() + epoch * 10, expected.begin() + epoch * 10 + 10);
    std::sort(sorted.begin(), sorted.end());
    for (uint64_t i = 0; i < 10; ++i)
      EXPECT_EQ(sorted[i], i) << "epoch " << epoch;
  }
  EXPECT_EQ(whole.position().epoch, 5u);
  EXPECT_EQ(whole.position().index, 7u);
  for (int64_t done = 0; done < 57; ++done) {
    Feed first(data, 3), second(data, 3);
    first.next(done);
    ASSERT_TRUE(second.seek(first.position()).ok());
    EXPECT_EQ(second.next(57 - done), std::vector<uint64_t>(expected.begin() + done, expected.end())) << done;
  }
  Feed other(data, 3);
  EXPECT_EQ(other.seek({0, 10}).code(), absl::StatusCode::kOutOfRange);
  EXPECT_EQ(Feed(data, 3, /*shuffles=*/false).next(12), (std::vector<uint64_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1}));
}

TEST(Feed, ReadsBatches) {
  Feed feed(std::make_shared<const Numbers>(3), 0, /*shuffles=*/false);
  int64_t values[4] = {};
  void *place = values;
  feed.next(numberSignature(4), absl::MakeSpan(&place, 1));
  EXPECT_EQ(std::vector<int64_t>(values, values + 4), (std::vector<int64_t>{0, 1, 2, 0}));
}

TEST(Split, PartsAreDisjointAndWhole) {
  for (bool isText : {false, true}) {
    auto parts = split(std::make_shared<const Numbers>(1000, isText), 0.1, 5);
    ASSERT_TRUE(parts.ok()) << parts.status();
    std::vector<int64_t> training = valuesOf(*parts->training), evaluation = valuesOf(*parts->evaluation);
    EXPECT_EQ(evaluation.size(), 100u);
    std::vector<int64_t> all = training;
    all.insert(all.end(), evaluation.begin(), evaluation.end());
    std::sort(all.begin(), all.end());
    std::vector<int64_t> expected(1000);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
    // Of a text, what comes last.
    EXPECT_EQ(training.back() == 899, isText);
    auto again = split(std::make_shared<const Numbers>(1000, isText), 0.1, 5);
    EXPECT_EQ(valuesOf(*again->evaluation), evaluation);
    EXPECT_EQ(again->training->fingerprint(), parts->training->fingerprint());
    EXPECT_NE(parts->training->fingerprint(), parts->evaluation->fingerprint());
    auto other = split(std::make_shared<const Numbers>(1000, isText), 0.1, 6);
    EXPECT_EQ(valuesOf(*other->evaluation) == evaluation, isText);
  }
}

TEST(Split, LeavesSomethingToTrainWith) {
  auto error = [](uint64_t size, double fraction) {
    return std::string(split(std::make_shared<const Numbers>(size), fraction, 0).status().message());
  };
  EXPECT_NE(error(1, 0.5).find("1 of 1 examples for evaluation leave none"), std::string::npos) << error(1, 0.5);
  EXPECT_NE(error(10, 0.99).find("10 of 10 examples"), std::string::npos) << error(10, 0.99);
  EXPECT_NE(error(10, 0).find("a share of 0"), std::string::npos);
  EXPECT_NE(error(10, 1).find("a share of 1"), std::string::npos);
  EXPECT_NE(error(10, -0.5).find("a share of -0.5"), std::string::npos);
  // A little of it is one example.
  EXPECT_EQ(split(std::make_shared<const Numbers>(10), 0.001, 0)->evaluation->size(), 1u);
}

} // namespace
