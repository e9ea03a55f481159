//===- half.cpp - Conversion of fp16 and bf16 -----------------------------===//

#include "runtime/support/half.h"

#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#define ANE_F16C 1
#endif

namespace ane::rt {
namespace {

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

} // namespace

float halfToFloat(uint16_t half) {
  uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  uint32_t exponent = (half >> 10) & 0x1F;
  uint32_t mantissa = half & 0x3FF;
  if (exponent == 0x1F) {
    // A signalling NaN becomes quiet, as in hardware.
    uint32_t payload = mantissa ? (mantissa << 13) | 0x400000 : 0;
    return floatOf(sign | 0x7F800000 | payload);
  }
  if (exponent == 0) {
    // Subnormals are multiples of 2^-24, exact in fp32.
    float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return floatOf(sign | bitsOf(magnitude));
  }
  return floatOf(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

float bfloat16ToFloat(uint16_t half) { return floatOf(static_cast<uint32_t>(half) << 16); }

uint16_t floatToHalf(float value) {
  uint32_t bits = bitsOf(value);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000)
    return sign | 0x7E00 | ((magnitude >> 13) & 0x3FF);
  // 65520 is half way between the largest fp16 value and the next; it and
  // everything above it rounds to infinity.
  if (magnitude >= 0x477FF000)
    return sign | 0x7C00;
  if (magnitude < 0x38800000) {
    // Below 2^-14: adding 0.5 leaves a mantissa in units of 2^-24, and the
    // addition rounds to nearest even.
    float shifted = floatOf(magnitude) + 0.5f;
    return sign | static_cast<uint16_t>(bitsOf(shifted) - 0x3F000000);
  }
  uint32_t odd = (magnitude >> 13) & 1;
  return sign | static_cast<uint16_t>((magnitude - 0x38000000 + 0xFFF + odd) >> 13);
}

void widenHalfPortable(const uint16_t *from, float *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = halfToFloat(from[i]);
}

void narrowToHalfPortable(const float *from, uint16_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = floatToHalf(from[i]);
}

void roundToHalfPortable(float *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = halfToFloat(floatToHalf(values[i]));
}

#if defined(ANE_F16C)
namespace {

__attribute__((target("avx,f16c"))) void widenF16c(const uint16_t *from, float *to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i))));
  for (; i < count; ++i)
    to[i] = halfToFloat(from[i]);
}

__attribute__((target("avx,f16c"))) void narrowF16c(const float *from, uint16_t *to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  for (; i < count; ++i)
    to[i] = floatToHalf(from[i]);
}

__attribute__((target("avx,f16c"))) void roundF16c(float *values, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8)
    _mm256_storeu_ps(values + i, _mm256_cvtph_ps(_mm256_cvtps_ph(_mm256_loadu_ps(values + i),
                                                                 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)));
  for (; i < count; ++i)
    values[i] = halfToFloat(floatToHalf(values[i]));
}

bool hasF16c() {
  static const bool has = __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
  return has;
}

} // namespace

void widenHalf(const uint16_t *from, float *to, int64_t count) {
  hasF16c() ? widenF16c(from, to, count) : widenHalfPortable(from, to, count);
}

void narrowToHalf(const float *from, uint16_t *to, int64_t count) {
  hasF16c() ? narrowF16c(from, to, count) : narrowToHalfPortable(from, to, count);
}

void roundToHalf(float *values, int64_t count) {
  hasF16c() ? roundF16c(values, count) : roundToHalfPortable(values, count);
}

#elif defined(__aarch64__)

// Armv8 converts in hardware and compilers vectorise these loops.
void widenHalf(const uint16_t *from, float *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    __fp16 half;
    std::memcpy(&half, from + i, sizeof half);
    to[i] = half;
  }
}

void narrowToHalf(const float *from, uint16_t *to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    __fp16 half = static_cast<__fp16>(from[i]);
    std::memcpy(to + i, &half, sizeof half);
  }
}

void roundToHalf(float *values, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = static_cast<__fp16>(values[i]);
}

#else

void widenHalf(const uint16_t *from, float *to, int64_t count) { widenHalfPortable(from, to, count); }

void narrowToHalf(const float *from, uint16_t *to, int64_t count) { narrowToHalfPortable(from, to, count); }

void roundToHalf(float *values, int64_t count) { roundToHalfPortable(values, count); }

#endif

} // namespace ane::rt
