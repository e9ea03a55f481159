//===- convert.cpp - Element type conversion ------------------------------===//
#include "runtime/core/convert.h"
#include "runtime/support/half.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ane::rt {
namespace {

// Every type goes through one of two wide types, int64 or double, which hold
// each of its values exactly (uint64 above 2^63 saturates). The pairs that
// models really use have loops of their own in convertElements.
constexpr int64_t kChunk = 256;

template <typename T, typename Wide>
void widen(const void *from, Wide *to, int64_t count) {
  auto *typed = static_cast<const T *>(from);
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, uint64_t> && std::is_same_v<Wide, int64_t>)
      to[i] = static_cast<int64_t>(std::min<uint64_t>(typed[i], std::numeric_limits<int64_t>::max()));
    else
      to[i] = static_cast<Wide>(typed[i]);
  }
}

template <typename T>
T saturate(int64_t value) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return value < 0 ? 0 : static_cast<uint64_t>(value);
  } else {
    return static_cast<T>(std::clamp<int64_t>(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
}

template <typename T>
T saturate(double value) {
  if (std::isnan(value))
    return 0;
  // The bounds are powers of two and exact in double, one past the maximum.
  constexpr double upper = 2.0 * static_cast<double>(T(1) << (std::numeric_limits<T>::digits - 1));
  constexpr double lower = std::is_signed_v<T> ? -upper : 0.0;
  if (value >= upper)
    return std::numeric_limits<T>::max();
  if (value <= lower)
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

template <typename T, typename Wide>
void narrow(const Wide *from, void *to, int64_t count) {
  auto *typed = static_cast<T *>(to);
  for (int64_t i = 0; i < count; ++i)
    typed[i] = saturate<T>(from[i]);
}

/// Rounds to odd, so that a second rounding to fp16 or bf16 gives what one
/// rounding from double would have given.
float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value)
    return nearest;
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    nearest = std::nextafterf(nearest, 0.0f);
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  bits |= 1;
  std::memcpy(&nearest, &bits, sizeof bits);
  return nearest;
}

uint16_t toBFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

template <typename Wide>
void load(const void *from, ElementType type, Wide *to, int64_t count) {
  switch (type) {
  case ElementType::Bool:
  case ElementType::UInt8:
    return widen<uint8_t>(from, to, count);
  case ElementType::Int8:
    return widen<int8_t>(from, to, count);
  case ElementType::Int16:
    return widen<int16_t>(from, to, count);
  case ElementType::UInt16:
    return widen<uint16_t>(from, to, count);
  case ElementType::Int32:
    return widen<int32_t>(from, to, count);
  case ElementType::UInt32:
    return widen<uint32_t>(from, to, count);
  case ElementType::Int64:
    return widen<int64_t>(from, to, count);
  case ElementType::UInt64:
    return widen<uint64_t>(from, to, count);
  case ElementType::Float32:
    return widen<float>(from, to, count);
  case ElementType::Float64:
    return widen<double>(from, to, count);
  case ElementType::Float16:
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<Wide>(halfToFloat(static_cast<const uint16_t *>(from)[i]));
    return;
  case ElementType::BFloat16:
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<Wide>(bfloat16ToFloat(static_cast<const uint16_t *>(from)[i]));
    return;
  default:
    std::fill_n(to, count, Wide(0));
  }
}

template <typename Wide>
void store(const Wide *from, void *to, ElementType type, int64_t count) {
  auto each = [&](auto *typed, auto &&convert) {
    for (int64_t i = 0; i < count; ++i)
      typed[i] = convert(static_cast<double>(from[i]));
  };
  switch (type) {
  case ElementType::Bool:
    for (int64_t i = 0; i < count; ++i)
      static_cast<uint8_t *>(to)[i] = from[i] != Wide(0);
    return;
  case ElementType::UInt8:
    return narrow<uint8_t>(from, to, count);
  case ElementType::Int8:
    return narrow<int8_t>(from, to, count);
  case ElementType::Int16:
    return narrow<int16_t>(from, to, count);
  case ElementType::UInt16:
    return narrow<uint16_t>(from, to, count);
  case ElementType::Int32:
    return narrow<int32_t>(from, to, count);
  case ElementType::UInt32:
    return narrow<uint32_t>(from, to, count);
  case ElementType::Int64:
    return narrow<int64_t>(from, to, count);
  case ElementType::UInt64:
    return narrow<uint64_t>(from, to, count);
  case ElementType::Float32:
    for (int64_t i = 0; i < count; ++i)
      static_cast<float *>(to)[i] = static_cast<float>(from[i]);
    return;
  case ElementType::Float64:
    return each(static_cast<double *>(to), [](double v) { return v; });
  case ElementType::Float16:
    return each(static_cast<uint16_t *>(to), [](double v) { return floatToHalf(roundToOdd(v)); });
  case ElementType::BFloat16:
    return each(static_cast<uint16_t *>(to), [](double v) { return toBFloat16(roundToOdd(v)); });
  default:
    std::memset(to, 0, static_cast<size_t>(count * byteWidth(type)));
  }
}

template <typename Wide>
void convertThrough(const void *from, ElementType fromType, void *to, ElementType toType, int64_t count) {
  Wide wide[kChunk];
  auto *source = static_cast<const uint8_t *>(from);
  auto *target = static_cast<uint8_t *>(to);
  for (int64_t at = 0; at < count; at += kChunk) {
    int64_t part = std::min(kChunk, count - at);
    load(source + at * byteWidth(fromType), fromType, wide, part);
    store(wide, target + at * byteWidth(toType), toType, part);
  }
}

} // namespace

void convertElements(const void *from, ElementType fromType, void *to, ElementType toType, int64_t count) {
  if (fromType == toType) {
    if (count != 0)
      std::memcpy(to, from, static_cast<size_t>(count * byteWidth(toType)));
    return;
  }
  if (fromType == ElementType::Float32 && toType == ElementType::Float16)
    return narrowToHalf(static_cast<const float *>(from), static_cast<uint16_t *>(to), count);
  if (fromType == ElementType::Float16 && toType == ElementType::Float32)
    return widenHalf(static_cast<const uint16_t *>(from), static_cast<float *>(to), count);
  if (isFloat(fromType))
    return convertThrough<double>(from, fromType, to, toType, count);
  return convertThrough<int64_t>(from, fromType, to, toType, count);
}

} // namespace ane::rt
