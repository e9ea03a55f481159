//===- memory_plan_test.cpp - Places of values ----------------------------===//

#include "runtime/device/emulator/memory_plan.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace ane::rt::emulator {
namespace {

TEST(MemoryPlan, ValuesThatLiveTogetherDoNotOverlap) {
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    struct Item {
      int64_t elements;
      MemoryPlan::Interval interval;
    };
    std::map<int64_t, Item> items;
    MemoryPlan plan;
    for (int64_t value = 0; value < 60; ++value) {
      MemoryPlan::Interval interval;
      size_t first = random() % 40;
      interval.use(first);
      interval.use(first + random() % 8);
      int64_t elements = static_cast<int64_t>(random() % 1000);
      items[value] = {elements, interval};
      plan.add(value, elements, interval);
    }
    std::map<int64_t, int64_t> offsets;
    int64_t size = plan.place([&](int64_t value, int64_t offset) {
      EXPECT_EQ(offset % 16, 0);
      offsets[value] = offset;
    });
    ASSERT_EQ(offsets.size(), items.size());
    for (const auto &[a, left] : items) {
      EXPECT_LE(offsets[a] + left.elements, size);
      for (const auto &[b, right] : items) {
        if (a >= b || left.interval.last < right.interval.first || right.interval.last < left.interval.first)
          continue;
        EXPECT_TRUE(offsets[a] + left.elements <= offsets[b] || offsets[b] + right.elements <= offsets[a])
            << a << " and " << b;
      }
    }
  }
}

TEST(MemoryPlan, ReusesWhatIsFree) {
  MemoryPlan plan;
  for (int64_t value = 0; value < 100; ++value) {
    MemoryPlan::Interval interval;
    interval.use(static_cast<size_t>(value));
    interval.use(static_cast<size_t>(value) + 1);
    plan.add(value, 32, interval);
  }
  EXPECT_EQ(plan.place([](int64_t, int64_t) {}), 64);
}

} // namespace
} // namespace ane::rt::emulator
