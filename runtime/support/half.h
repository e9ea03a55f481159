//===- half.h - Conversion of fp16 and bf16 -------------------------------===//
//
// Rounding is to the nearest fp16 value, ties to even (ane-op-chip-matrix.md
// 4.1); what is 65520 or more becomes infinity.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_SUPPORT_HALF_H
#define ANE_RUNTIME_SUPPORT_HALF_H

#include <cstdint>

namespace ane::rt {

/// Portable conversions of one value, with subnormals, infinities and NaN.
float halfToFloat(uint16_t half);
uint16_t floatToHalf(float value);
/// bfloat16, which is the upper half of a float32.
float bfloat16ToFloat(uint16_t half);

/// Blocks; they use the processor's conversion instructions where it has them.
void widenHalf(const uint16_t *from, float *to, int64_t count);
void narrowToHalf(const float *from, uint16_t *to, int64_t count);
/// Replaces each value by the fp16 value nearest to it.
void roundToHalf(float *values, int64_t count);

/// The same without those instructions; tests compare the two.
void widenHalfPortable(const uint16_t *from, float *to, int64_t count);
void narrowToHalfPortable(const float *from, uint16_t *to, int64_t count);
void roundToHalfPortable(float *values, int64_t count);

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_HALF_H
