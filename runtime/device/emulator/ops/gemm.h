//===- gemm.h - Matrix products of the emulator ---------------------------===//
//
// fp32 products through BLAS, and what the engine's accumulator does to them.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_GEMM_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_GEMM_H

#include "runtime/device/emulator/numeric_model.h"

#include <cstdint>

namespace ane::rt::emulator {

/// A row-major matrix; `transposed` reads it as its transpose. `stride` is the
/// distance between its rows as they lie in memory.
struct Matrix {
  const float *data;
  int64_t stride;
  bool transposed = false;
};

/// c[m, n] = a[m, k] * b[k, n] (+ c, if `accumulate`).
void gemm(int64_t m, int64_t n, int64_t k, const Matrix &a, const Matrix &b, float *c, int64_t cStride,
          bool accumulate = false);

/// The accumulator's output port, if the model has it: values at or beyond the
/// limit become infinite.
void leaveAccumulator(const NumericModel &model, float *values, int64_t count);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_GEMM_H
