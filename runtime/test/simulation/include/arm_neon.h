// NEON's types and the functions that clients convert and add with, as clang's vectors: they run on any processor.
#ifndef SIMULATED_ARM_NEON_H
#define SIMULATED_ARM_NEON_H

#include <stdint.h>
#include <string.h>

typedef _Float16 float16_t;
typedef float float32_t;
typedef _Float16 float16x4_t __attribute__((ext_vector_type(4)));
typedef _Float16 float16x8_t __attribute__((ext_vector_type(8)));
typedef float float32x2_t __attribute__((ext_vector_type(2)));
typedef float float32x4_t __attribute__((ext_vector_type(4)));
typedef uint16_t uint16x4_t __attribute__((ext_vector_type(4)));
typedef uint16_t uint16x8_t __attribute__((ext_vector_type(8)));
typedef uint32_t uint32x4_t __attribute__((ext_vector_type(4)));
typedef int32_t int32x4_t __attribute__((ext_vector_type(4)));

#define SIMULATED_NEON static inline __attribute__((always_inline))

#define SIMULATED_MEMORY(element, vector, suffix, q)                                                                   \
  SIMULATED_NEON vector vld1##q##_##suffix(const element *from) {                                                      \
    vector value;                                                                                                      \
    memcpy(&value, from, sizeof value);                                                                                \
    return value;                                                                                                      \
  }                                                                                                                    \
  SIMULATED_NEON void vst1##q##_##suffix(element *to, vector value) { memcpy(to, &value, sizeof value); }              \
  SIMULATED_NEON vector vdup##q##_n_##suffix(element value) { return (vector)value; }                                  \
  SIMULATED_NEON vector vmov##q##_n_##suffix(element value) { return (vector)value; }
SIMULATED_MEMORY(float16_t, float16x4_t, f16, )
SIMULATED_MEMORY(float16_t, float16x8_t, f16, q)
SIMULATED_MEMORY(float, float32x2_t, f32, )
SIMULATED_MEMORY(float, float32x4_t, f32, q)
SIMULATED_MEMORY(uint16_t, uint16x4_t, u16, )
SIMULATED_MEMORY(uint16_t, uint16x8_t, u16, q)
SIMULATED_MEMORY(uint32_t, uint32x4_t, u32, q)
SIMULATED_MEMORY(int32_t, int32x4_t, s32, q)

#define SIMULATED_HALVES(half, whole, suffix)                                                                          \
  SIMULATED_NEON half vget_low_##suffix(whole value) { return value.lo; }                                              \
  SIMULATED_NEON half vget_high_##suffix(whole value) { return value.hi; }                                             \
  SIMULATED_NEON whole vcombine_##suffix(half low, half high) {                                                        \
    whole value;                                                                                                       \
    value.lo = low;                                                                                                    \
    value.hi = high;                                                                                                   \
    return value;                                                                                                      \
  }
SIMULATED_HALVES(float16x4_t, float16x8_t, f16)
SIMULATED_HALVES(float32x2_t, float32x4_t, f32)
SIMULATED_HALVES(uint16x4_t, uint16x8_t, u16)

SIMULATED_NEON float16x4_t vcvt_f16_f32(float32x4_t value) { return __builtin_convertvector(value, float16x4_t); }
SIMULATED_NEON float32x4_t vcvt_f32_f16(float16x4_t value) { return __builtin_convertvector(value, float32x4_t); }
SIMULATED_NEON float32x4_t vcvtq_f32_s32(int32x4_t value) { return __builtin_convertvector(value, float32x4_t); }
SIMULATED_NEON float32x4_t vcvtq_f32_u32(uint32x4_t value) { return __builtin_convertvector(value, float32x4_t); }
SIMULATED_NEON uint32x4_t vmovl_u16(uint16x4_t value) { return __builtin_convertvector(value, uint32x4_t); }
SIMULATED_NEON uint16x4_t vmovn_u32(uint32x4_t value) { return __builtin_convertvector(value, uint16x4_t); }
#define vshll_n_u16(value, bits) (__builtin_convertvector((value), uint32x4_t) << (uint32_t)(bits))
#define vshlq_n_u32(value, bits) ((value) << (uint32_t)(bits))
#define vshrq_n_u32(value, bits) ((value) >> (uint32_t)(bits))
#define vgetq_lane_f32(value, lane) ((value)[lane])
#define vget_lane_f32(value, lane) ((value)[lane])

#define SIMULATED_REINTERPRET(to, from, name)                                                                          \
  SIMULATED_NEON to name(from value) {                                                                                 \
    to other;                                                                                                          \
    memcpy(&other, &value, sizeof other);                                                                              \
    return other;                                                                                                      \
  }
SIMULATED_REINTERPRET(uint16x4_t, float16x4_t, vreinterpret_u16_f16)
SIMULATED_REINTERPRET(float16x4_t, uint16x4_t, vreinterpret_f16_u16)
SIMULATED_REINTERPRET(uint16x8_t, float16x8_t, vreinterpretq_u16_f16)
SIMULATED_REINTERPRET(float16x8_t, uint16x8_t, vreinterpretq_f16_u16)
SIMULATED_REINTERPRET(float32x4_t, uint32x4_t, vreinterpretq_f32_u32)
SIMULATED_REINTERPRET(uint32x4_t, float32x4_t, vreinterpretq_u32_f32)

#define SIMULATED_ARITHMETIC(vector, element, suffix)                                                                  \
  SIMULATED_NEON vector vaddq_##suffix(vector a, vector b) { return a + b; }                                           \
  SIMULATED_NEON vector vsubq_##suffix(vector a, vector b) { return a - b; }                                           \
  SIMULATED_NEON vector vmulq_##suffix(vector a, vector b) { return a * b; }                                           \
  SIMULATED_NEON vector vdivq_##suffix(vector a, vector b) { return a / b; }                                           \
  SIMULATED_NEON vector vnegq_##suffix(vector a) { return -a; }                                                        \
  SIMULATED_NEON vector vmulq_n_##suffix(vector a, element b) { return a * b; }                                        \
  SIMULATED_NEON vector vmlaq_##suffix(vector a, vector b, vector c) { return a + b * c; }                             \
  SIMULATED_NEON vector vfmaq_##suffix(vector a, vector b, vector c) { return __builtin_elementwise_fma(b, c, a); }    \
  SIMULATED_NEON vector vfmaq_n_##suffix(vector a, vector b, element c) {                                              \
    return __builtin_elementwise_fma(b, (vector)c, a);                                                                 \
  }                                                                                                                    \
  SIMULATED_NEON vector vmaxq_##suffix(vector a, vector b) { return __builtin_elementwise_max(a, b); }                 \
  SIMULATED_NEON vector vminq_##suffix(vector a, vector b) { return __builtin_elementwise_min(a, b); }                 \
  SIMULATED_NEON vector vabsq_##suffix(vector a) { return __builtin_elementwise_abs(a); }
SIMULATED_ARITHMETIC(float32x4_t, float, f32)
SIMULATED_ARITHMETIC(float16x8_t, float16_t, f16)

/// Neighbours first, as the instruction adds.
SIMULATED_NEON float vaddvq_f32(float32x4_t a) { return (a[0] + a[1]) + (a[2] + a[3]); }
SIMULATED_NEON float vmaxvq_f32(float32x4_t a) { return __builtin_reduce_max(a); }
SIMULATED_NEON float vminvq_f32(float32x4_t a) { return __builtin_reduce_min(a); }

#endif // SIMULATED_ARM_NEON_H
