//===- numeric_test.cpp ---------------------------------------------------===//
#include "runtime/core/numeric.h"
#include <cmath>
#include <gtest/gtest.h>

namespace ane::rt {
namespace {

TEST(Numeric, TheLargestFp16NumberIsHeld) {
  // 65,519.996 still rounds to 65,504.
  for (float value : {0.0f, -65504.0f, 65519.996f, -INFINITY, NAN}) {
    EXPECT_FALSE(overflowsHalf(&value, ElementType::Float32, 1)) << value;
    EXPECT_EQ(isFiniteInHalf(&value, 1), std::isfinite(value)) << value;
  }
  for (float value : {65520.0f, -65520.0f, 3e38f}) {
    EXPECT_TRUE(overflowsHalf(&value, ElementType::Float32, 1)) << value;
    EXPECT_FALSE(isFiniteInHalf(&value, 1)) << value;
  }
  for (double value : {65519.9999, -1.0 / 0.0})
    EXPECT_FALSE(overflowsHalf(&value, ElementType::Float64, 1)) << value;
  for (double value : {65520.0, -1e300})
    EXPECT_TRUE(overflowsHalf(&value, ElementType::Float64, 1)) << value;
  int32_t integer = 70000;
  EXPECT_FALSE(overflowsHalf(&integer, ElementType::Int32, 1));
}

TEST(Numeric, EveryElementIsLookedAt) {
  float values[67] = {};
  for (int i : {0, 1, 31, 66}) {
    EXPECT_FALSE(hasNonFinite(values, ElementType::Float32, 67));
    for (float bad : {INFINITY, -INFINITY, NAN}) {
      values[i] = bad;
      EXPECT_TRUE(hasNonFinite(values, ElementType::Float32, 67));
    }
    values[i] = -3e38f;
  }
  uint16_t half[2] = {0xfbff, 0x7bff}; // -65,504 and 65,504
  EXPECT_FALSE(hasNonFinite(half, ElementType::Float16, 2));
  half[1] = 0xfc00;
  EXPECT_TRUE(hasNonFinite(half, ElementType::Float16, 2));
  double wide = NAN;
  EXPECT_TRUE(hasNonFinite(&wide, ElementType::Float64, 1));
  EXPECT_FALSE(hasNonFinite(half, ElementType::Int16, 2));
}

TEST(Numeric, InfiniteElementsAreClampedAndCounted) {
  float values[7] = {INFINITY, -INFINITY, NAN, 3e38f, -0.0f, -INFINITY, 1};
  EXPECT_EQ(clampInfinite(values, ElementType::Float32, 7), 3);
  EXPECT_EQ(values[0], 65504);
  EXPECT_EQ(values[1], -65504);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_EQ(values[3], 3e38f);
  EXPECT_TRUE(std::signbit(values[4]));
  EXPECT_EQ(values[5], -65504);
  uint16_t half[4] = {0x7c00, 0xfc00, 0x7c01, 0x7bff};
  EXPECT_EQ(clampInfinite(half, ElementType::Float16, 4), 2);
  EXPECT_EQ(half[0], 0x7bff);
  EXPECT_EQ(half[1], 0xfbff);
  EXPECT_EQ(half[2], 0x7c01);
  EXPECT_EQ(clampInfinite(half, ElementType::Int16, 4), 0);
}

} // namespace
} // namespace ane::rt
