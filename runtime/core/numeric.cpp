//===- numeric.cpp - values that an engine can't hold ---------------------===//
#include "runtime/core/numeric.h"
#include "runtime/core/convert.h"
#include "runtime/support/half.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace ane::rt {
namespace {

/// Of an integer's bits those that are in the order of the floats that they mean, and the other way round.
template <typename Int>
Int ordered(Int bits) {
  return static_cast<Int>(bits ^ ((bits >> std::numeric_limits<Int>::digits) & std::numeric_limits<Int>::max()));
}

/// The least and the largest of keyed elements. No branch in the loop: it runs over all inputs and outputs of every
/// program.
template <typename T, typename Key>
std::pair<T, T> rangeOf(const void *data, int64_t count, Key &&key) {
  auto *bytes = static_cast<const uint8_t *>(data);
  T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::min();
  for (int64_t i = 0; i < count; ++i) {
    T bits;
    std::memcpy(&bits, bytes + i * static_cast<int64_t>(sizeof(T)), sizeof bits);
    bits = key(bits);
    low = std::min(low, bits);
    high = std::max(high, bits);
  }
  return {low, high};
}

/// Of floats as wide as Int; `value` makes a double of bits.
template <typename Int, typename Value>
Extent floatExtent(const void *data, int64_t count, Value &&value) {
  auto [low, high] = rangeOf<Int>(data, count, ordered<Int>);
  return {value(ordered(low)), value(ordered(high))};
}

template <typename T>
Extent integerExtent(const void *data, int64_t count) {
  auto [low, high] = rangeOf<T>(data, count, [](T element) { return element; });
  return {static_cast<double>(low), static_cast<double>(high)};
}

template <typename Float, typename Int>
double valueOf(Int bits) {
  Float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

template <typename Bits>
int64_t replaceInfinite(void *data, int64_t count, Bits infinity, Bits replacement) {
  auto *bytes = static_cast<uint8_t *>(data);
  constexpr Bits magnitude = static_cast<Bits>(~Bits(0)) >> 1;
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + i * sizeof(Bits), sizeof bits);
    if ((bits & magnitude) != infinity)
      continue;
    bits = static_cast<Bits>((bits & static_cast<Bits>(~magnitude)) | replacement);
    std::memcpy(bytes + i * sizeof(Bits), &bits, sizeof bits);
    ++found;
  }
  return found;
}

constexpr uint16_t kInfinity16 = 0x7c00;
constexpr uint32_t kInfinity32 = 0x7f800000;
// 65,504
constexpr uint16_t kLargest16 = 0x7bff;
constexpr uint32_t kLargest32 = 0x477fe000;

} // namespace

bool Extent::isFinite() const { return std::isfinite(low) && std::isfinite(high); }

double Extent::largest() const { return std::max(-low, high); }

void Extent::add(const Extent &other) {
  // A NaN is beyond all numbers, and stays.
  low = other.low < low || other.low != other.low ? other.low : low;
  high = other.high > high || other.high != other.high ? other.high : high;
  isHalf &= other.isHalf;
}

Extent extentOf(const void *data, ElementType type, int64_t count) {
  if (count == 0)
    return {};
  switch (type) {
  case ElementType::Float16:
    return floatExtent<int16_t>(data, count, [](int16_t bits) { return halfToFloat(static_cast<uint16_t>(bits)); });
  case ElementType::BFloat16:
    return floatExtent<int16_t>(data, count, [](int16_t bits) { return bfloat16ToFloat(static_cast<uint16_t>(bits)); });
  case ElementType::Float32:
    return floatExtent<int32_t>(data, count, valueOf<float, int32_t>);
  case ElementType::Float64:
    return floatExtent<int64_t>(data, count, valueOf<double, int64_t>);
  case ElementType::Int8:
    return integerExtent<int8_t>(data, count);
  case ElementType::Int16:
    return integerExtent<int16_t>(data, count);
  case ElementType::UInt16:
    return integerExtent<uint16_t>(data, count);
  case ElementType::Int32:
    return integerExtent<int32_t>(data, count);
  case ElementType::UInt32:
    return integerExtent<uint32_t>(data, count);
  case ElementType::Int64:
    return integerExtent<int64_t>(data, count);
  case ElementType::UInt64:
    return integerExtent<uint64_t>(data, count);
  default: // a byte each
    return integerExtent<uint8_t>(data, count);
  }
}

bool areHalf(const void *data, ElementType type, int64_t count) {
  if (type == ElementType::Float16)
    return true;
  // A type that holds elements of both sides: all numbers of fp16, and no others that these could be taken for.
  const ElementType wide = type == ElementType::Float32 ? ElementType::Float32 : ElementType::Float64;
  constexpr int64_t kChunk = 256;
  alignas(64) uint8_t half[kChunk * sizeof(uint16_t)], there[kChunk * sizeof(double)], here[kChunk * sizeof(double)];
  auto *elements = static_cast<const uint8_t *>(data);
  for (int64_t i = 0; i < count; i += kChunk) {
    const int64_t part = std::min(kChunk, count - i);
    const uint8_t *from = elements + i * byteWidth(type);
    convertElements(from, type, half, ElementType::Float16, part);
    convertElements(half, ElementType::Float16, there, wide, part);
    convertElements(from, type, here, wide, part);
    if (std::memcmp(here, there, static_cast<size_t>(part * byteWidth(wide))) != 0)
      return false;
  }
  return true;
}

bool isFiniteInHalf(const void *data, int64_t count) {
  Extent extent = extentOf(data, ElementType::Float32, count);
  return count == 0 || (extent.isFinite() && !extent.overflowsHalf());
}

int64_t clampInfinite(void *data, ElementType type, int64_t count) {
  if (type == ElementType::Float16)
    return replaceInfinite(data, count, kInfinity16, kLargest16);
  if (type == ElementType::Float32)
    return replaceInfinite(data, count, kInfinity32, kLargest32);
  return 0;
}

namespace {

/// Rows of `extent` elements, each `inner` apart, as many rows beside each other.
template <typename Load, typename Store>
void narrowRows(const manifest::MaskRows &rows, int64_t count, float *tops, Load &&load, Store &&store) {
  const float least = static_cast<float>(rows.least);
  for (int64_t begin = 0; begin < count; begin += rows.extent * rows.inner) {
    std::fill_n(tops, rows.inner, -std::numeric_limits<float>::infinity());
    for (int64_t i = 0, at = begin; i < rows.extent; ++i)
      for (int64_t j = 0; j < rows.inner; ++j, ++at) {
        const float x = load(at);
        tops[j] = x > tops[j] || x != x ? x : tops[j];
      }
    for (int64_t i = 0, at = begin; i < rows.extent; ++i)
      for (int64_t j = 0; j < rows.inner; ++j, ++at) {
        const float lower = load(at) - tops[j];
        store(at, lower < least ? least : lower);
      }
  }
}

} // namespace

void narrowMask(const manifest::MaskRows &rows, ElementType type, int64_t count, const void *from, void *to,
                float *tops) {
  if (type == ElementType::Float32)
    return narrowRows(
        rows, count, tops, [&](int64_t i) { return static_cast<const float *>(from)[i]; },
        [&](int64_t i, float value) { static_cast<float *>(to)[i] = value; });
  narrowRows(
      rows, count, tops, [&](int64_t i) { return halfToFloat(static_cast<const uint16_t *>(from)[i]); },
      [&](int64_t i, float value) { static_cast<uint16_t *>(to)[i] = floatToHalf(value); });
}

} // namespace ane::rt
