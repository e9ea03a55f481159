// Random numbers against the published ones.
#include "runtime/support/philox.h"

#include <gtest/gtest.h>

using namespace ane::rt;

namespace {

/// Known answers of the authors' library (Random123, kat_vectors).
TEST(Philox, KnownAnswers) {
  using Words = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, {ones, ones}), (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, NumbersAreBelowTheirBound) {
  for (uint64_t bound : {uint64_t(1), uint64_t(3), uint64_t(1) << 63, (uint64_t(1) << 63) + 1})
    for (uint64_t i = 0; i < 1000; ++i)
      EXPECT_LT(randomBelow(7, i, bound), bound);
  EXPECT_NE(randomBelow(1, 0, uint64_t(1) << 63), randomBelow(2, 0, uint64_t(1) << 63));
}

TEST(Philox, ABoundThatDiffersALittleGivesNearlyTheSameNumber) {
  for (uint64_t bound : {uint64_t(1) << 20, uint64_t(3) << 43, ~uint64_t(0) - 5})
    for (uint64_t i = 0; i < 1000; ++i) {
      uint64_t number = randomBelow(7, i, bound), other = randomBelow(7, i, bound + 5);
      EXPECT_TRUE(other >= number && other <= number + 5) << number << " " << other;
    }
}

TEST(Philox, NumbersAreSpreadEvenly) {
  std::array<int, 16> counts{};
  for (uint64_t i = 0; i < 16000; ++i)
    ++counts[randomBelow(3, i, counts.size())];
  for (int count : counts)
    EXPECT_NEAR(count, 1000, 150); // five times the deviation
}

} // namespace
