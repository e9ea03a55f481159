// The trainer's parts that need no bundle.
#include "runtime/train/arena.h"
#include "runtime/train/loss_scale.h"
#include "runtime/train/parameters.h"
#include "runtime/train/schedule.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

using namespace ane::rt::train;

namespace {

bool says(const absl::Status &status, const std::string &words) {
  return status.message().find(words) != std::string::npos;
}

TEST(Schedule, Rises) {
  Schedule schedule{Schedule::Kind::Constant, 2, 0, 4, 0};
  EXPECT_DOUBLE_EQ(schedule.at(0), 0.5);
  EXPECT_DOUBLE_EQ(schedule.at(3), 2);
  EXPECT_DOUBLE_EQ(schedule.at(1000), 2);
}

TEST(Schedule, FallsInALine) {
  Schedule schedule{Schedule::Kind::Linear, 2, 0.25, 10, 110};
  EXPECT_DOUBLE_EQ(schedule.at(9), 2);
  EXPECT_DOUBLE_EQ(schedule.at(10), 2);
  EXPECT_DOUBLE_EQ(schedule.at(60), 2 * (0.25 + 0.75 / 2));
  EXPECT_DOUBLE_EQ(schedule.at(110), 0.5);
  EXPECT_DOUBLE_EQ(schedule.at(500), 0.5);
}

TEST(Schedule, FallsByHalfACosine) {
  Schedule schedule{Schedule::Kind::Cosine, 1, 0.1, 0, 100};
  EXPECT_DOUBLE_EQ(schedule.at(0), 1);
  EXPECT_DOUBLE_EQ(schedule.at(50), 0.55);
  EXPECT_NEAR(schedule.at(25), 0.1 + 0.9 * 0.5 * (1 + 0.70710678118654752), 1e-15);
  EXPECT_DOUBLE_EQ(schedule.at(100), 0.1);
}

TEST(Schedule, ChecksNumbers) {
  using Kind = Schedule::Kind;
  EXPECT_TRUE((Schedule{Kind::Constant, 1, 0, 0, 0}.check().ok()));
  EXPECT_TRUE(says((Schedule{Kind::Constant, 0, 0, 0, 0}.check()), "learning rate is 0"));
  EXPECT_TRUE(says((Schedule{Kind::Constant, std::numeric_limits<double>::infinity(), 0, 0, 0}.check()), "is inf"));
  EXPECT_TRUE(says((Schedule{Kind::Linear, 1, 1.5, 0, 10}.check()), "is 1.5, expected 0 to 1"));
  EXPECT_TRUE(says((Schedule{Kind::Linear, 1, 0, 0, 0}.check()), "needs the number of steps"));
  EXPECT_TRUE(says((Schedule{Kind::Cosine, 1, 0, 11, 10}.check()), "takes 11 steps of 10"));
  EXPECT_TRUE(says((Schedule{Kind::Constant, 1, 0, -1, 0}.check()), "has -1 steps of warm-up"));
  EXPECT_EQ(*scheduleKind("cosine"), Kind::Cosine);
  EXPECT_TRUE(says(scheduleKind("step").status(), "schedule is \"step\""));
}

TEST(LossScale, GrowsAndIsHalved) {
  LossScale scale(LossScale::Options{true, 4, 3, 1, 8});
  for (double expected : {4.0, 4.0, 8.0, 8.0, 8.0, 8.0}) {
    scale.wasFinite();
    EXPECT_EQ(scale.scale(), expected);
  }
  scale.wasFinite();
  for (double expected : {4.0, 2.0, 1.0}) {
    EXPECT_TRUE(scale.wasNotFinite());
    EXPECT_EQ(scale.scale(), expected);
  }
  EXPECT_FALSE(scale.wasNotFinite()); // no smaller one
  EXPECT_EQ(scale.state().skipped, 3);
  scale.wasFinite();
  scale.wasFinite();
  EXPECT_EQ(scale.scale(), 1);
  LossScale other(LossScale::Options{true, 4, 3, 1, 8});
  other.restore(scale.state());
  other.wasFinite();
  EXPECT_EQ(other.scale(), 2); // after three in a row
}

TEST(LossScale, IsHalvedWhereElementsWereClamped) {
  LossScale scale(LossScale::Options{true, 4, 3, 1, 8});
  for (double expected : {2.0, 1.0, 1.0}) {
    scale.wasClamped();
    EXPECT_EQ(scale.scale(), expected);
  }
  EXPECT_EQ(scale.state().skipped, 0);
}

TEST(LossScale, StaysWhereItIsNotDynamic) {
  LossScale scale(LossScale::Options{false, 128});
  for (int i = 0; i < 3000; ++i)
    scale.wasFinite();
  scale.wasClamped();
  EXPECT_EQ(scale.scale(), 128);
  EXPECT_FALSE(scale.wasNotFinite());
  EXPECT_EQ(scale.state().skipped, 0);
}

TEST(LossScale, ChecksNumbers) {
  EXPECT_TRUE(LossScale::check({true}).ok());
  EXPECT_TRUE(says(LossScale::check({false, 0}), "is 0, expected a number above 0"));
  EXPECT_TRUE(says(LossScale::check({true, 0.5}), "begins with 0.5, which is not from 1"));
  EXPECT_TRUE(says(LossScale::check({true, 4, 0}), "doubles after 0 steps"));
}

TEST(Parameters, LieInGroupsOfWholeSweeps) {
  auto placed = Parameters::place(
      {{"a", {3, 5}}, {"b", {17}, false}, {"c", {2, 2}}, {"d", {100}, false}, {"e", {4, 4}}}, {"d", "?e", "e*"}, 64);
  EXPECT_TRUE(says(placed.status(), "no parameter to freeze matches \"?e\"; of 5 the first are a, b, c, d, e"));
  placed = Parameters::place({{"a", {3, 5}}, {"b", {17}, false}, {"c", {2, 2}}, {"d", {100}, false}, {"e", {4, 4}}},
                             {"[de]"}, 64);
  ASSERT_TRUE(placed.ok()) << placed.status();
  std::vector<int64_t> offsets, elements;
  for (const Parameter &parameter : placed->all()) {
    offsets.push_back(parameter.offset);
    elements.push_back(parameter.elements);
  }
  // 64 bytes are 16 floats: a and c decay, then b, then what is frozen, which has no sweeps.
  EXPECT_EQ(offsets, (std::vector<int64_t>{0, 64, 16, 128, 240}));
  EXPECT_EQ(elements, (std::vector<int64_t>{15, 17, 4, 100, 16}));
  ASSERT_EQ(placed->groups().size(), 2u);
  EXPECT_TRUE(placed->groups()[0].decays);
  EXPECT_EQ(placed->groups()[1].begin, 64);
  EXPECT_EQ(placed->groups()[1].end, 128);
  EXPECT_EQ(placed->trainedFloats(), 128);
  EXPECT_EQ(placed->weightFloats(), 256);
  EXPECT_EQ(placed->find("c")->offset, 16);
  EXPECT_EQ(placed->find("f"), nullptr);
  EXPECT_TRUE(says(Parameters::place({{"a", {3}}}, {"*"}, 64).status(), "all 1 parameters are frozen"));
}

TEST(Arena, IsZero) {
  auto arena = Arena::map(100000, "weights");
  ASSERT_TRUE(arena.ok());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(arena->data()) % 64, 0u);
  EXPECT_TRUE(std::all_of(arena->data(), arena->data() + arena->floats(), [](float value) { return value == 0; }));
  Arena other = *std::move(arena);
  other.data()[99999] = 1;
  EXPECT_TRUE(says(Arena::map(int64_t(1) << 60, "weights").status(), "weights: the system has no"));
  EXPECT_EQ(Arena::map(0, "none")->data(), nullptr);
}

} // namespace
