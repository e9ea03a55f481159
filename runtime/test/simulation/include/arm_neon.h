// NEON on any processor: SIMDe's, and what clients use that the one of Debian 12 has not.
#ifndef SIMULATED_ARM_NEON_H
#define SIMULATED_ARM_NEON_H

#define SIMDE_ENABLE_NATIVE_ALIASES
#define SIMDE_ARM_NEON_FP16
#define SIMDE_FLOAT16_API SIMDE_FLOAT16_API_FLOAT16
#include <simde/arm/neon.h>

#define SIMULATED_NEON static inline __attribute__((always_inline))

#define SIMULATED_HALF(vector, element, wide)                                                                          \
  SIMULATED_NEON vector vsub##wide##_f16(vector a, vector b) { return a - b; }                                         \
  SIMULATED_NEON vector vmul##wide##_f16(vector a, vector b) { return a * b; }                                         \
  SIMULATED_NEON vector vdiv##wide##_f16(vector a, vector b) { return a / b; }                                         \
  SIMULATED_NEON vector vneg##wide##_f16(vector a) { return -a; }                                                      \
  SIMULATED_NEON vector vmul##wide##_n_f16(vector a, element b) { return a * b; }                                      \
  SIMULATED_NEON vector vfma##wide##_f16(vector a, vector b, vector c) { return __builtin_elementwise_fma(b, c, a); }  \
  SIMULATED_NEON vector vfms##wide##_f16(vector a, vector b, vector c) { return __builtin_elementwise_fma(-b, c, a); } \
  SIMULATED_NEON vector vfma##wide##_n_f16(vector a, vector b, element c) {                                            \
    return __builtin_elementwise_fma(b, vdup##wide##_n_f16(c), a);                                                     \
  }                                                                                                                    \
  SIMULATED_NEON vector vmax##wide##_f16(vector a, vector b) { return __builtin_elementwise_max(a, b); }               \
  SIMULATED_NEON vector vmin##wide##_f16(vector a, vector b) { return __builtin_elementwise_min(a, b); }               \
  SIMULATED_NEON vector vabs##wide##_f16(vector a) { return __builtin_elementwise_abs(a); }                            \
  SIMULATED_NEON vector vsqrt##wide##_f16(vector a) { return __builtin_elementwise_sqrt(a); }
SIMULATED_HALF(float16x4_t, float16_t, )
SIMULATED_HALF(float16x8_t, float16_t, q)

SIMULATED_NEON float16x4_t vget_low_f16(float16x8_t a) { return __builtin_shufflevector(a, a, 0, 1, 2, 3); }
SIMULATED_NEON float16x4_t vget_high_f16(float16x8_t a) { return __builtin_shufflevector(a, a, 4, 5, 6, 7); }
SIMULATED_NEON float16x8_t vcombine_f16(float16x4_t low, float16x4_t high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
SIMULATED_NEON float32x4_t vcvt_high_f32_f16(float16x8_t a) { return vcvt_f32_f16(vget_high_f16(a)); }
SIMULATED_NEON float16x8_t vcvt_high_f16_f32(float16x4_t low, float32x4_t high) {
  return vcombine_f16(low, vcvt_f16_f32(high));
}

SIMULATED_NEON float32x4_t vsqrtq_f32(float32x4_t a) { return __builtin_elementwise_sqrt(a); }
SIMULATED_NEON float32x2_t vsqrt_f32(float32x2_t a) { return __builtin_elementwise_sqrt(a); }
SIMULATED_NEON float32x4_t vdivq_f32(float32x4_t a, float32x4_t b) { return a / b; }
SIMULATED_NEON float32x2_t vdiv_f32(float32x2_t a, float32x2_t b) { return a / b; }
/// To the nearest, ties to even; ties away from 0.
SIMULATED_NEON int32x4_t vcvtnq_s32_f32(float32x4_t a) { return vcvtq_s32_f32(vrndnq_f32(a)); }
SIMULATED_NEON int32x4_t vcvtaq_s32_f32(float32x4_t a) { return vcvtq_s32_f32(__builtin_elementwise_round(a)); }

#endif // SIMULATED_ARM_NEON_H
