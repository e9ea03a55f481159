//===- gemm.cpp - Matrix products of the emulator -------------------------===//

#include "runtime/device/emulator/ops/gemm.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ane::rt::emulator {
namespace {

/// BLAS takes int sizes, and its products are not worth their set-up when the
/// matrices are tiny.
bool isTiny(int64_t m, int64_t n, int64_t k) { return m * n * k <= 512; }

void gemmTiny(int64_t m, int64_t n, int64_t k, const Matrix &a, const Matrix &b, float *c, int64_t cStride,
              bool accumulate) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = accumulate ? c[i * cStride + j] : 0.0f;
      for (int64_t l = 0; l < k; ++l)
        sum += (a.transposed ? a.data[l * a.stride + i] : a.data[i * a.stride + l]) *
               (b.transposed ? b.data[j * b.stride + l] : b.data[l * b.stride + j]);
      c[i * cStride + j] = sum;
    }
}

} // namespace

void gemm(int64_t m, int64_t n, int64_t k, const Matrix &a, const Matrix &b, float *c, int64_t cStride,
          bool accumulate) {
  if (m == 0 || n == 0)
    return;
  if (k == 0 || isTiny(m, n, k))
    return gemmTiny(m, n, k, a, b, c, cStride, accumulate);
  cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans, b.transposed ? CblasTrans : CblasNoTrans,
              static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), 1.0f, a.data, static_cast<int>(a.stride),
              b.data, static_cast<int>(b.stride), accumulate ? 1.0f : 0.0f, c, static_cast<int>(cStride));
}

void leaveAccumulator(const NumericModel &model, float *values, int64_t count) {
  float limit = model.portLimit;
  if (std::isinf(limit))
    return;
  for (int64_t i = 0; i < count; ++i)
    if (std::fabs(values[i]) >= limit)
      values[i] = std::copysign(std::numeric_limits<float>::infinity(), values[i]);
}

} // namespace ane::rt::emulator
