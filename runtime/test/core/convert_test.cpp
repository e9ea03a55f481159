#include "runtime/core/convert.h"
#include "runtime/support/half.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

using namespace ane::rt;

namespace {

template <typename To, typename From>
To convertOne(From value, ElementType from, ElementType to) {
  To result{};
  convertElements(&value, from, &result, to, 1);
  return result;
}

using E = ElementType;
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Convert, EveryHalfSurvivesAWayThroughFloat) {
  std::vector<uint16_t> halves(65536), back(65536);
  std::vector<float> floats(65536), portable(65536);
  for (size_t i = 0; i < halves.size(); ++i)
    halves[i] = static_cast<uint16_t>(i);
  convertElements(halves.data(), E::Float16, floats.data(), E::Float32, 65536);
  convertElements(floats.data(), E::Float32, back.data(), E::Float16, 65536);
  widenHalfPortable(halves.data(), portable.data(), 65536);
  for (size_t i = 0; i < halves.size(); ++i) {
    bool nan = (i & 0x7C00) == 0x7C00 && (i & 0x3FF) != 0;
    EXPECT_EQ(std::isnan(floats[i]), nan) << i;
    EXPECT_EQ(std::memcmp(&floats[i], &portable[i], 4), 0) << i;
    // Hardware makes signalling NaNs quiet.
    EXPECT_EQ(back[i], nan ? halves[i] | 0x200 : halves[i]) << i;
  }
}

TEST(Convert, FloatsRoundToNearestEven) {
  // 1 + 2^-11 lies half way between 1 and the next half.
  EXPECT_EQ(convertOne<uint16_t>(1.0f + 0x1p-11f, E::Float32, E::Float16), 0x3C00);
  EXPECT_EQ(convertOne<uint16_t>(1.0f + 0x3p-11f, E::Float32, E::Float16), 0x3C02);
  EXPECT_EQ(convertOne<uint16_t>(65519.996f, E::Float32, E::Float16), 0x7BFF);
  EXPECT_EQ(convertOne<uint16_t>(65520.0f, E::Float32, E::Float16), 0x7C00);
  EXPECT_EQ(convertOne<uint16_t>(0x1p-25f, E::Float32, E::Float16), 0);
  EXPECT_EQ(convertOne<uint16_t>(0x1.8p-25f, E::Float32, E::Float16), 1);
}

TEST(Convert, DoubleRoundsOnce) {
  // Rounding to float first would give the tie 1 + 2^-11, then 1.
  EXPECT_EQ(convertOne<uint16_t>(1.0 + 0x1p-11 + 0x1p-40, E::Float64, E::Float16), 0x3C01);
  EXPECT_EQ(convertOne<uint16_t>(1.0 + 0x1p-8 + 0x1p-40, E::Float64, E::BFloat16), 0x3F81);
  EXPECT_EQ(convertOne<uint16_t>(kInf, E::Float64, E::Float16), 0x7C00);
}

TEST(Convert, IntegersSaturate) {
  EXPECT_EQ(convertOne<int32_t>(INT64_MAX, E::Int64, E::Int32), INT32_MAX);
  EXPECT_EQ(convertOne<int32_t>(INT64_MIN, E::Int64, E::Int32), INT32_MIN);
  EXPECT_EQ(convertOne<int32_t>(int64_t(-7), E::Int64, E::Int32), -7);
  EXPECT_EQ(convertOne<uint8_t>(int64_t(-7), E::Int64, E::UInt8), 0);
  EXPECT_EQ(convertOne<uint8_t>(int32_t(300), E::Int32, E::UInt8), 255);
  EXPECT_EQ(convertOne<int64_t>(UINT64_MAX, E::UInt64, E::Int64), INT64_MAX);
}

TEST(Convert, FloatsToIntegersTruncateAndSaturate) {
  EXPECT_EQ(convertOne<int32_t>(-1.9f, E::Float32, E::Int32), -1);
  EXPECT_EQ(convertOne<int32_t>(3e9f, E::Float32, E::Int32), INT32_MAX);
  EXPECT_EQ(convertOne<int64_t>(kInf, E::Float64, E::Int64), INT64_MAX);
  EXPECT_EQ(convertOne<int64_t>(-kInf, E::Float64, E::Int64), INT64_MIN);
  EXPECT_EQ(convertOne<int64_t>(kNan, E::Float64, E::Int64), 0);
  EXPECT_EQ(convertOne<uint8_t>(255.9, E::Float64, E::UInt8), 255);
  EXPECT_EQ(convertOne<uint8_t>(-0.5, E::Float64, E::UInt8), 0);
}

TEST(Convert, BoolIsZeroOrOne) {
  EXPECT_EQ(convertOne<uint8_t>(0.25f, E::Float32, E::Bool), 1);
  EXPECT_EQ(convertOne<uint8_t>(int64_t(-2), E::Int64, E::Bool), 1);
  EXPECT_EQ(convertOne<uint8_t>(-0.0f, E::Float32, E::Bool), 0);
  EXPECT_EQ(convertOne<float>(uint8_t(1), E::Bool, E::Float32), 1.0f);
}

TEST(Convert, RunsLongerThanAChunk) {
  std::vector<int64_t> from(1000);
  std::vector<float> to(1000);
  for (size_t i = 0; i < from.size(); ++i)
    from[i] = static_cast<int64_t>(i) - 500;
  convertElements(from.data(), E::Int64, to.data(), E::Float32, 1000);
  for (size_t i = 0; i < from.size(); ++i)
    EXPECT_EQ(to[i], static_cast<float>(from[i]));
}

} // namespace
