//===- math.h - Functions that compilers can vectorise --------------------===//
//
// exp and its relatives without branches and calls, so that elementwise loops
// become vector code. Errors stay within two units of the last place of fp32,
// far below the rounding to fp16. Coefficients: minimax polynomials of the
// Cephes library's single-precision functions.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_MATH_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_MATH_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace ane::rt::emulator {

/// Truncation towards zero; what does not fit becomes the nearest integer, NaN 0.
template <typename Int>
Int saturated(double v) {
  if (!(v == v))
    return 0;
  // The largest integer may not be a double, the one above it is.
  constexpr double kLow = static_cast<double>(std::numeric_limits<Int>::min());
  if (v >= -kLow)
    return std::numeric_limits<Int>::max();
  return v <= kLow ? std::numeric_limits<Int>::min() : static_cast<Int>(v);
}

/// 2^n for n in [-126, 127].
inline float powerOfTwo(int32_t n) {
  uint32_t bits = static_cast<uint32_t>(n + 127) << 23;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline float vexp(float x) {
  // Beyond these bounds the result is 0 or infinity in fp32 anyway.
  float clamped = x < -104.0f ? -104.0f : (x > 89.0f ? 89.0f : x);
  clamped = x == x ? clamped : 0.0f;
  float n = std::nearbyint(clamped * 1.44269504088896341f);
  float r = clamped - n * 0.693359375f;
  r = r - n * -2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  float y = p * r * r + r + 1.0f;
  // Two factors, so that subnormal results come out right.
  int32_t exponent = static_cast<int32_t>(n);
  int32_t half = exponent >> 1;
  y = y * powerOfTwo(half) * powerOfTwo(exponent - half);
  return x == x ? y : x;
}

inline float vsigmoid(float x) { return 1.0f / (1.0f + vexp(-x)); }

inline float vtanh(float x) {
  float magnitude = std::fabs(x);
  float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  float small = p * z * x + x;
  float large = 1.0f - 2.0f / (vexp(2.0f * magnitude) + 1.0f);
  large = x < 0.0f ? -large : large;
  return magnitude < 0.625f ? small : large;
}

/// log(1 + e^x) without overflow.
inline float softplus(float x) { return std::fmax(x, 0.0f) + std::log1p(vexp(-std::fabs(x))); }

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_MATH_H
