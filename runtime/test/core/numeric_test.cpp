//===- numeric_test.cpp ---------------------------------------------------===//
#include "runtime/core/numeric.h"
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <vector>

namespace ane::rt {
namespace {

template <typename T>
Extent extentOfAll(const std::vector<T> &values, ElementType type) {
  return extentOf(values.data(), type, static_cast<int64_t>(values.size()));
}

TEST(Numeric, TheLargestFp16NumberIsHeld) {
  // 65,519.996 still rounds to 65,504.
  for (float value : {0.0f, -65504.0f, 65519.996f, -INFINITY, NAN}) {
    EXPECT_EQ(extentOf(&value, ElementType::Float32, 1).overflowsHalf(), std::isinf(value)) << value;
    EXPECT_EQ(isFiniteInHalf(&value, 1), std::isfinite(value)) << value;
  }
  for (float value : {65520.0f, -65520.0f, 3e38f}) {
    EXPECT_TRUE(extentOf(&value, ElementType::Float32, 1).overflowsHalf()) << value;
    EXPECT_FALSE(isFiniteInHalf(&value, 1)) << value;
  }
  double wide = 65519.9999;
  EXPECT_FALSE(extentOf(&wide, ElementType::Float64, 1).overflowsHalf());
  wide = -1e300;
  EXPECT_TRUE(extentOf(&wide, ElementType::Float64, 1).overflowsHalf());
  int32_t integer = -70000;
  EXPECT_TRUE(extentOf(&integer, ElementType::Int32, 1).overflowsHalf());
  uint16_t brain = 0x4780; // 65,536
  EXPECT_TRUE(extentOf(&brain, ElementType::BFloat16, 1).overflowsHalf());
  brain = 0x477f; // 65,280
  EXPECT_FALSE(extentOf(&brain, ElementType::BFloat16, 1).overflowsHalf());
}

TEST(Numeric, EveryElementIsLookedAt) {
  std::vector<float> values(67);
  for (size_t i : {0, 1, 31, 66}) {
    EXPECT_TRUE(extentOfAll(values, ElementType::Float32).isFinite());
    for (float bad : {INFINITY, -INFINITY, NAN, -NAN}) {
      values[i] = bad;
      Extent extent = extentOfAll(values, ElementType::Float32);
      EXPECT_FALSE(extent.isFinite());
      EXPECT_EQ(extent.hasNaN(), std::isnan(bad));
    }
    values[i] = -3e38f;
  }
  std::vector<uint16_t> half = {0xfbff, 0x7bff, 0x8000}; // -65,504, 65,504 and -0
  Extent extent = extentOfAll(half, ElementType::Float16);
  EXPECT_EQ(extent.low, -65504);
  EXPECT_EQ(extent.high, 65504);
  half[1] = 0xfc00;
  EXPECT_FALSE(extentOfAll(half, ElementType::Float16).isFinite());
  EXPECT_TRUE(extentOfAll(half, ElementType::Int16).isFinite());
  double wide = NAN;
  EXPECT_FALSE(extentOf(&wide, ElementType::Float64, 1).isFinite());
}

TEST(Numeric, ExtentsOfEachType) {
  auto expect = [](Extent extent, double low, double high) {
    EXPECT_EQ(extent.low, low);
    EXPECT_EQ(extent.high, high);
  };
  expect(extentOfAll<float>({-1.5f, -0.25f}, ElementType::Float32), -1.5, -0.25);
  expect(extentOfAll<float>({3, 1e-40f, 2}, ElementType::Float32), 1e-40f, 3);
  expect(extentOfAll<double>({-0.0, -1e-310}, ElementType::Float64), -1e-310, 0);
  expect(extentOfAll<uint16_t>({0xbf80, 0x4000}, ElementType::BFloat16), -1, 2);
  expect(extentOfAll<int8_t>({-128, 127}, ElementType::Int8), -128, 127);
  expect(extentOfAll<uint8_t>({200, 1}, ElementType::UInt8), 1, 200);
  expect(extentOfAll<uint8_t>({1, 0}, ElementType::Bool), 0, 1);
  expect(extentOfAll<int16_t>({-5, 7}, ElementType::Int16), -5, 7);
  expect(extentOfAll<uint16_t>({65535, 7}, ElementType::UInt16), 7, 65535);
  expect(extentOfAll<int32_t>({-70000, 7}, ElementType::Int32), -70000, 7);
  expect(extentOfAll<uint32_t>({4000000000u, 7}, ElementType::UInt32), 7, 4e9);
  expect(extentOfAll<int64_t>({-(1ll << 62), 7}, ElementType::Int64), -0x1p62, 7);
  expect(extentOfAll<uint64_t>({~0ull, 7}, ElementType::UInt64), 7, 0x1p64);
}

TEST(Numeric, ExtentsAddUp) {
  Extent all;
  all.add({-1, 2});
  all.add({0, 3, /*isHalf=*/false});
  all.add({});
  EXPECT_EQ(all.low, -1);
  EXPECT_EQ(all.high, 3);
  EXPECT_FALSE(all.isHalf);
  for (Extent bad : {Extent{NAN, 1}, Extent{1, NAN}}) {
    Extent sum = all;
    sum.add(bad);
    sum.add({-INFINITY, INFINITY});
    EXPECT_TRUE(sum.hasNaN());
  }
}

TEST(Numeric, WhatIsBelowNormalNumbers) {
  for (float value : {0x1.fffffep-15f, -1e-10f, 1e-40f})
    EXPECT_TRUE(extentOfAll<float>({0, value, 0}, ElementType::Float32).isBelowHalf()) << value;
  for (float value : {0.0f, -0.0f, 0x1p-14f, -0x1p-14f, 1.0f})
    EXPECT_FALSE(extentOfAll<float>({1e-10f, value, 0}, ElementType::Float32).isBelowHalf() && value != 0) << value;
  EXPECT_FALSE(extentOfAll<float>({0, -0.0f}, ElementType::Float32).isBelowHalf());
}

TEST(Numeric, WhatFp16Holds) {
  auto isHeld = [](auto value, ElementType type) {
    // In a second chunk, behind what is held.
    std::vector<decltype(value)> values(300);
    values[290] = value;
    return areHalf(values.data(), type, 300);
  };
  for (float value : {0.0f, -0.0f, 2048.0f, -65504.0f, 0x1p-24f, 0x3p-24f, 0x1.ff8p-15f, INFINITY})
    EXPECT_TRUE(isHeld(value, ElementType::Float32) && isHeld(double(value), ElementType::Float64)) << value;
  for (float value : {0.1f, 2049.0f, 65505.0f, 65520.0f, 1e10f, 0x1p-25f, 0x1.8p-24f, 0x1.ffcp-15f, 1e-40f})
    EXPECT_FALSE(isHeld(value, ElementType::Float32) || isHeld(double(value), ElementType::Float64)) << value;
  EXPECT_FALSE(isHeld(1 + 0x1p-40, ElementType::Float64));
  for (int32_t value : {0, -2048, 4100, 65504})
    EXPECT_TRUE(isHeld(value, ElementType::Int32) && isHeld(int64_t(value), ElementType::Int64)) << value;
  for (int32_t value : {2049, -4097, 65505, 65536, INT32_MAX})
    EXPECT_FALSE(isHeld(value, ElementType::Int32) || isHeld(int64_t(value), ElementType::Int64)) << value;
  // These become what saturates to them on the way back.
  EXPECT_FALSE(isHeld(int16_t(32767), ElementType::Int16));
  EXPECT_FALSE(isHeld(uint16_t(65535), ElementType::UInt16));
  EXPECT_TRUE(isHeld(uint8_t(255), ElementType::UInt8) && isHeld(uint8_t(1), ElementType::Bool));
  EXPECT_TRUE(isHeld(uint16_t(0x0001), ElementType::Float16));
  EXPECT_TRUE(isHeld(uint16_t(0x3f81), ElementType::BFloat16));
  EXPECT_FALSE(isHeld(uint16_t(0x2f81), ElementType::BFloat16)); // below 2^-24
}

TEST(Numeric, MasksAreTakenLessTheLargestOfTheirRows) {
  const float inf = std::numeric_limits<float>::infinity();
  // Rows of three, two beside each other: {5, -inf, 4}, {-1e9, -1e9, -1e9}; {-inf, -inf, -inf}, {0, NaN, 1}.
  const std::vector<float> mask = {5, -1e9f, -inf, -1e9f, 4, -1e9f, -inf, 0, -inf, NAN, -inf, 1};
  std::vector<float> made(12), tops(2);
  narrowMask({3, 2, -30000}, ElementType::Float32, 12, mask.data(), made.data(), tops.data());
  EXPECT_EQ(std::vector<float>(made.begin(), made.begin() + 6), (std::vector<float>{0, 0, -30000, 0, -1, 0}));
  for (int i : {6, 8, 9, 10, 11})
    EXPECT_TRUE(std::isnan(made[i])) << i;
  const std::vector<uint16_t> half = {0xfbff, 0x4000, 0x3c00, 0xfc00}; // -65,504, 2, 1, -inf
  std::vector<uint16_t> halves(4);
  narrowMask({4, 1, -30000}, ElementType::Float16, 4, half.data(), halves.data(), tops.data());
  EXPECT_EQ(halves, (std::vector<uint16_t>{0xf753, 0, 0xbc00, 0xf753})); // -30,000 is 0xf753
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
