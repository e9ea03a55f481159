//===- memory_plan_test.cpp - Buffers that share one allocation -----------===//

#include "runtime/support/memory_plan.h"

#include <chrono>
#include <gtest/gtest.h>
#include <random>

namespace ane::rt {
namespace {

void expectApart(const std::vector<Lifetime> &buffers, const MemoryPlan &plan) {
  ASSERT_EQ(plan.offsets.size(), buffers.size());
  for (size_t a = 0; a < buffers.size(); ++a) {
    ASSERT_EQ(plan.offsets[a] % 64, 0);
    ASSERT_LE(plan.offsets[a] + buffers[a].bytes, plan.bytes);
    for (size_t b = 0; b < a; ++b) {
      bool alive = buffers[a].first <= buffers[b].last && buffers[b].first <= buffers[a].last;
      bool apart = plan.offsets[a] + buffers[a].bytes <= plan.offsets[b] ||
                   plan.offsets[b] + buffers[b].bytes <= plan.offsets[a];
      ASSERT_TRUE(!alive || apart) << a << " and " << b;
    }
  }
}

/// Buffers of random sizes that begin at random steps and live for some.
std::vector<Lifetime> randomBuffers(size_t count, int64_t steps, int64_t longest) {
  std::mt19937 random(3);
  std::vector<Lifetime> buffers;
  for (size_t i = 0; i < count; ++i) {
    int64_t first = static_cast<int64_t>(random()) % steps;
    buffers.push_back(
        {1 + static_cast<int64_t>(random()) % 1000, first, first + static_cast<int64_t>(random()) % longest});
  }
  return buffers;
}

TEST(MemoryPlan, OverlappingLivesDoNotShare) {
  // The last of these are more than are compared one by one.
  for (auto [count, steps] : {std::pair<size_t, int64_t>(60, 40), {500, 20}, {6000, 500}}) {
    std::vector<Lifetime> buffers = randomBuffers(count, steps, 8);
    auto plan = planMemory(buffers);
    ASSERT_TRUE(plan.ok());
    expectApart(buffers, *plan);
    int64_t sum = 0;
    for (const Lifetime &buffer : buffers)
      sum += buffer.bytes;
    EXPECT_LT(plan->bytes, sum / 2);
  }
}

TEST(MemoryPlan, ChainsNeedTwoBuffers) {
  auto plan = planMemory({{1000, 0, 1}, {1000, 1, 2}, {1000, 2, 3}});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->bytes, 2048);
}

// As many as a manifest may list, in a chain and all at the same time.
TEST(MemoryPlan, AMillionBuffersTakeSeconds) {
  constexpr int64_t kCount = 1 << 20;
  for (bool chain : {true, false}) {
    std::vector<Lifetime> buffers;
    for (int64_t i = 0; i < kCount; ++i)
      buffers.push_back({64 + i % 7 * 64, chain ? i : 0, chain ? i + 1 : kCount});
    auto start = std::chrono::steady_clock::now();
    auto plan = planMemory(buffers);
    ASSERT_TRUE(plan.ok());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
    if (chain)
      EXPECT_LE(plan->bytes, 4 * 7 * 64);
  }
}

TEST(MemoryPlan, RefusesWhatNoMachineHas) {
  int64_t huge = int64_t(1) << 49;
  EXPECT_FALSE(planMemory(std::vector<Lifetime>(10000, {huge, 0, 1})).ok());
}

} // namespace
} // namespace ane::rt
