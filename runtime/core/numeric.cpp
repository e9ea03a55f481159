//===- numeric.cpp - values that an engine can't hold ---------------------===//
#include "runtime/core/numeric.h"
#include <cstring>

namespace ane::rt {
namespace {

/// Whether the bits of an element without its sign are in [low, high]. No
/// branch in the loop: it runs over all inputs and outputs of every program.
template <typename Bits>
bool anyWithin(const void *data, int64_t count, Bits low, Bits high) {
  auto *bytes = static_cast<const uint8_t *>(data);
  constexpr Bits magnitude = static_cast<Bits>(~Bits(0)) >> 1;
  Bits found = 0;
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, bytes + i * sizeof(Bits), sizeof bits);
    bits &= magnitude;
    found |= static_cast<Bits>(bits >= low) & static_cast<Bits>(bits <= high);
  }
  return found != 0;
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
constexpr uint64_t kInfinity64 = 0x7ff0000000000000;
// 65,520: halfway from the largest fp16 number to the next power of two.
constexpr uint32_t kOverflow32 = 0x477ff000;
constexpr uint64_t kOverflow64 = 0x40effe0000000000;
// 65,504
constexpr uint16_t kLargest16 = 0x7bff;
constexpr uint32_t kLargest32 = 0x477fe000;

} // namespace

bool overflowsHalf(const void *data, ElementType type, int64_t count) {
  if (type == ElementType::Float32)
    return anyWithin(data, count, kOverflow32, kInfinity32 - 1);
  if (type == ElementType::Float64)
    return anyWithin(data, count, kOverflow64, kInfinity64 - 1);
  return false;
}

bool hasNonFinite(const void *data, ElementType type, int64_t count) {
  if (type == ElementType::Float16)
    return anyWithin<uint16_t>(data, count, kInfinity16, 0x7fff);
  if (type == ElementType::Float32)
    return anyWithin<uint32_t>(data, count, kInfinity32, 0x7fffffff);
  if (type == ElementType::Float64)
    return anyWithin<uint64_t>(data, count, kInfinity64, ~uint64_t(0) >> 1);
  return false;
}

bool isFiniteInHalf(const void *data, int64_t count) {
  return !anyWithin<uint32_t>(data, count, kOverflow32, 0x7fffffff);
}

int64_t clampInfinite(void *data, ElementType type, int64_t count) {
  if (type == ElementType::Float16)
    return replaceInfinite(data, count, kInfinity16, kLargest16);
  if (type == ElementType::Float32)
    return replaceInfinite(data, count, kInfinity32, kLargest32);
  return 0;
}

} // namespace ane::rt
