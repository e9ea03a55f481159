// What clients use of Accelerate: BLAS by OpenBLAS, and the plainer functions of vDSP and vForce.
#ifndef SIMULATED_ACCELERATE_H
#define SIMULATED_ACCELERATE_H

#include <cblas.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef unsigned long vDSP_Length;
typedef long vDSP_Stride;

#define SIMULATED_VDSP(name, parameters, body)                                                                         \
  static inline void name parameters {                                                                                 \
    for (vDSP_Length i = 0; i < count; ++i) {                                                                          \
      const vDSP_Stride at = (vDSP_Stride)i;                                                                           \
      body;                                                                                                            \
    }                                                                                                                  \
  }
#define SIMULATED_TWO                                                                                                  \
  (const float *a, vDSP_Stride ia, const float *b, vDSP_Stride ib, float *c, vDSP_Stride ic, vDSP_Length count)
#define SIMULATED_SCALAR (const float *a, vDSP_Stride ia, const float *b, float *c, vDSP_Stride ic, vDSP_Length count)
#define SIMULATED_ONE (const float *a, vDSP_Stride ia, float *c, vDSP_Stride ic, vDSP_Length count)

SIMULATED_VDSP(vDSP_vadd, SIMULATED_TWO, c[at * ic] = a[at * ia] + b[at * ib])
SIMULATED_VDSP(vDSP_vsub, SIMULATED_TWO, c[at * ic] = b[at * ib] - a[at * ia]) // the second minus the first
SIMULATED_VDSP(vDSP_vmul, SIMULATED_TWO, c[at * ic] = a[at * ia] * b[at * ib])
SIMULATED_VDSP(vDSP_vdiv, SIMULATED_TWO, c[at * ic] = b[at * ib] / a[at * ia]) // the second by the first
SIMULATED_VDSP(vDSP_vmax, SIMULATED_TWO, c[at * ic] = fmaxf(a[at * ia], b[at * ib]))
SIMULATED_VDSP(vDSP_vmin, SIMULATED_TWO, c[at * ic] = fminf(a[at * ia], b[at * ib]))
SIMULATED_VDSP(vDSP_vsmul, SIMULATED_SCALAR, c[at * ic] = a[at * ia] * *b)
SIMULATED_VDSP(vDSP_vsadd, SIMULATED_SCALAR, c[at * ic] = a[at * ia] + *b)
SIMULATED_VDSP(vDSP_vsdiv, SIMULATED_SCALAR, c[at * ic] = a[at * ia] / *b)
SIMULATED_VDSP(vDSP_vthr, SIMULATED_SCALAR, c[at * ic] = a[at * ia] >= *b ? a[at * ia] : *b)
SIMULATED_VDSP(vDSP_svdiv,
               (const float *a, const float *b, vDSP_Stride ib, float *c, vDSP_Stride ic, vDSP_Length count),
               c[at * ic] = *a / b[at * ib])
SIMULATED_VDSP(vDSP_vneg, SIMULATED_ONE, c[at * ic] = -a[at * ia])
SIMULATED_VDSP(vDSP_vabs, SIMULATED_ONE, c[at * ic] = fabsf(a[at * ia]))
SIMULATED_VDSP(vDSP_vsq, SIMULATED_ONE, c[at * ic] = a[at * ia] * a[at * ia])
SIMULATED_VDSP(vDSP_vclr, (float *c, vDSP_Stride ic, vDSP_Length count), c[at * ic] = 0)
SIMULATED_VDSP(vDSP_vfill, (const float *a, float *c, vDSP_Stride ic, vDSP_Length count), c[at * ic] = *a)
SIMULATED_VDSP(vDSP_vsma,
               (const float *a, vDSP_Stride ia, const float *b, const float *c, vDSP_Stride ic, float *d,
                vDSP_Stride id, vDSP_Length count),
               d[at * id] = a[at * ia] * *b + c[at * ic])
SIMULATED_VDSP(vDSP_vma,
               (const float *a, vDSP_Stride ia, const float *b, vDSP_Stride ib, const float *c, vDSP_Stride ic,
                float *d, vDSP_Stride id, vDSP_Length count),
               d[at * id] = a[at * ia] * b[at * ib] + c[at * ic])
SIMULATED_VDSP(vDSP_vclip,
               (const float *a, vDSP_Stride ia, const float *low, const float *high, float *c, vDSP_Stride ic,
                vDSP_Length count),
               c[at * ic] = fminf(fmaxf(a[at * ia], *low), *high))

SIMULATED_VDSP(vDSP_vsmsa,
               (const float *a, vDSP_Stride ia, const float *b, const float *c, float *d, vDSP_Stride id,
                vDSP_Length count),
               d[at * id] = a[at * ia] * *b + *c)
SIMULATED_VDSP(vDSP_vam,
               (const float *a, vDSP_Stride ia, const float *b, vDSP_Stride ib, const float *c, vDSP_Stride ic,
                float *d, vDSP_Stride id, vDSP_Length count),
               d[at * id] = (a[at * ia] + b[at * ib]) * c[at * ic])
SIMULATED_VDSP(vDSP_vasm,
               (const float *a, vDSP_Stride ia, const float *b, vDSP_Stride ib, const float *c, float *d,
                vDSP_Stride id, vDSP_Length count),
               d[at * id] = (a[at * ia] + b[at * ib]) * *c)
SIMULATED_VDSP(vDSP_vramp, (const float *a, const float *b, float *c, vDSP_Stride ic, vDSP_Length count),
               c[at * ic] = *a + (float)i * *b)
SIMULATED_VDSP(vDSP_vswap, (float *a, vDSP_Stride ia, float *b, vDSP_Stride ib, vDSP_Length count),
               const float held = a[at * ia];
               a[at * ia] = b[at * ib]; b[at * ib] = held)

#define SIMULATED_SUM(name, start, step, end)                                                                          \
  static inline void name(const float *a, vDSP_Stride ia, float *c, vDSP_Length count) {                               \
    float sum = start;                                                                                                 \
    for (vDSP_Length i = 0; i < count; ++i) {                                                                          \
      const float each = a[(vDSP_Stride)i * ia];                                                                       \
      sum = step;                                                                                                      \
    }                                                                                                                  \
    *c = end;                                                                                                          \
  }
SIMULATED_SUM(vDSP_sve, 0, sum + each, sum)
SIMULATED_SUM(vDSP_svesq, 0, sum + each * each, sum)
SIMULATED_SUM(vDSP_svemg, 0, sum + fabsf(each), sum)
SIMULATED_SUM(vDSP_meanv, 0, sum + each, sum / (float)count)
SIMULATED_SUM(vDSP_measqv, 0, sum + each * each, sum / (float)count)
SIMULATED_SUM(vDSP_rmsqv, 0, sum + each * each, sqrtf(sum / (float)count))
SIMULATED_SUM(vDSP_maxv, -INFINITY, fmaxf(sum, each), sum)
SIMULATED_SUM(vDSP_minv, INFINITY, fminf(sum, each), sum)
SIMULATED_SUM(vDSP_maxmgv, 0, fmaxf(sum, fabsf(each)), sum)

static inline void vDSP_dotpr(const float *a, vDSP_Stride ia, const float *b, vDSP_Stride ib, float *c,
                              vDSP_Length count) {
  float sum = 0;
  for (vDSP_Length i = 0; i < count; ++i)
    sum += a[(vDSP_Stride)i * ia] * b[(vDSP_Stride)i * ib];
  *c = sum;
}
static inline void vDSP_distancesq(const float *a, vDSP_Stride ia, const float *b, vDSP_Stride ib, float *c,
                                   vDSP_Length count) {
  float sum = 0;
  for (vDSP_Length i = 0; i < count; ++i) {
    const float difference = a[(vDSP_Stride)i * ia] - b[(vDSP_Stride)i * ib];
    sum += difference * difference;
  }
  *c = sum;
}
static inline void vDSP_maxvi(const float *a, vDSP_Stride ia, float *c, vDSP_Length *index, vDSP_Length count) {
  *c = -INFINITY;
  *index = 0;
  for (vDSP_Length i = 0; i < count; ++i)
    if (a[(vDSP_Stride)i * ia] > *c) {
      *c = a[(vDSP_Stride)i * ia];
      *index = i * (vDSP_Length)ia;
    }
}
static inline void vDSP_mtrans(const float *a, vDSP_Stride ia, float *c, vDSP_Stride ic, vDSP_Length rows,
                               vDSP_Length columns) {
  for (vDSP_Length i = 0; i < rows; ++i)
    for (vDSP_Length j = 0; j < columns; ++j)
      c[(vDSP_Stride)(i * columns + j) * ic] = a[(vDSP_Stride)(j * rows + i) * ia];
}
static inline void vDSP_mmul(const float *a, vDSP_Stride ia, const float *b, vDSP_Stride ib, float *c, vDSP_Stride ic,
                             vDSP_Length m, vDSP_Length n, vDSP_Length p) {
  for (vDSP_Length i = 0; i < m; ++i)
    for (vDSP_Length j = 0; j < n; ++j)
      vDSP_dotpr(a + (vDSP_Stride)(i * p) * ia, ia, b + (vDSP_Stride)j * ib, (vDSP_Stride)n * ib,
                 c + (vDSP_Stride)(i * n + j) * ic, p);
}

#define SIMULATED_VFORCE(name, expression)                                                                             \
  static inline void name(float *y, const float *x, const int *count) {                                                \
    for (int i = 0; i < *count; ++i)                                                                                   \
      y[i] = expression;                                                                                               \
  }
SIMULATED_VFORCE(vvexpf, expf(x[i]))
SIMULATED_VFORCE(vvlogf, logf(x[i]))
SIMULATED_VFORCE(vvsqrtf, sqrtf(x[i]))
SIMULATED_VFORCE(vvrsqrtf, 1 / sqrtf(x[i]))
SIMULATED_VFORCE(vvrecf, 1 / x[i])
SIMULATED_VFORCE(vvtanhf, tanhf(x[i]))
SIMULATED_VFORCE(vvsinf, sinf(x[i]))
SIMULATED_VFORCE(vvcosf, cosf(x[i]))
SIMULATED_VFORCE(vvtanf, tanf(x[i]))
SIMULATED_VFORCE(vvatanf, atanf(x[i]))
SIMULATED_VFORCE(vvexp2f, exp2f(x[i]))
SIMULATED_VFORCE(vvexpm1f, expm1f(x[i]))
SIMULATED_VFORCE(vvlog1pf, log1pf(x[i]))
SIMULATED_VFORCE(vvlog2f, log2f(x[i]))
SIMULATED_VFORCE(vvlog10f, log10f(x[i]))
SIMULATED_VFORCE(vvfabsf, fabsf(x[i]))
SIMULATED_VFORCE(vvfloorf, floorf(x[i]))
SIMULATED_VFORCE(vvceilf, ceilf(x[i]))
SIMULATED_VFORCE(vvnintf, rintf(x[i]))
static inline void vvdivf(float *z, const float *y, const float *x, const int *count) {
  for (int i = 0; i < *count; ++i)
    z[i] = y[i] / x[i];
}
static inline void vvsincosf(float *sine, float *cosine, const float *x, const int *count) {
  for (int i = 0; i < *count; ++i) {
    const float angle = x[i];
    sine[i] = sinf(angle);
    cosine[i] = cosf(angle);
  }
}
static inline void vvpowf(float *z, const float *y, const float *x, const int *count) {
  for (int i = 0; i < *count; ++i)
    z[i] = powf(x[i], y[i]);
}

// Of vImage, what converts halves.
typedef struct {
  void *data;
  unsigned long height, width;
  size_t rowBytes;
} vImage_Buffer;
typedef long vImage_Error;
typedef unsigned int vImage_Flags;
enum { kvImageNoError = 0, kvImageNoFlags = 0, kvImageDoNotTile = 16 };

#define SIMULATED_CONVERT(name, from, to)                                                                              \
  static inline vImage_Error name(const vImage_Buffer *a, const vImage_Buffer *b, vImage_Flags flags) {                \
    (void)flags;                                                                                                       \
    for (unsigned long i = 0; i < b->height; ++i)                                                                      \
      for (unsigned long j = 0; j < b->width; ++j)                                                                     \
        ((to *)((char *)b->data + i * b->rowBytes))[j] =                                                               \
            (to)((const from *)((const char *)a->data + i * a->rowBytes))[j];                                          \
    return kvImageNoError;                                                                                             \
  }
SIMULATED_CONVERT(vImageConvert_PlanarFtoPlanar16F, float, _Float16)
SIMULATED_CONVERT(vImageConvert_Planar16FtoPlanarF, _Float16, float)

#endif // SIMULATED_ACCELERATE_H
