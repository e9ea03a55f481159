//===- iteration.h - Loops over broadcast and strided tensors -------------===//
//
// The two loops that most kernels are made of: a broadcast of N dense operands
// over an output shape, and a copy between two strided views. Both first drop
// axes of size 1 and merge neighbours that are contiguous in every operand, so
// that the common cases end in one long row.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_ITERATION_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_ITERATION_H

#include "runtime/device/emulator/tensor.h"

#include <array>
#include <cstddef>
#include <optional>

namespace ane::rt::emulator {

/// NumPy broadcasting; nullopt when the shapes do not fit.
std::optional<Shape> broadcastShapes(const Shape &a, const Shape &b);

/// Strides of a dense operand seen under `out`; 0 along broadcast axes.
Shape broadcastStrides(const Shape &operand, const Shape &out);

/// Drops axes of extent 1 and merges axes that follow each other without a gap
/// in every one of `views` (strides in elements, one entry per axis).
void mergeAxes(Shape &extents, Shape *views, size_t count);

/// dst[i] = src[i] over `extents` for any strides, also 0 and negative ones.
void copyStrided(const uint32_t *src, const Shape &srcStrides, uint32_t *dst, const Shape &dstStrides,
                 const Shape &extents);

/// Fills dense memory of shape `extents` from a strided view.
void gatherStrided(const uint32_t *src, const Shape &srcStrides, uint32_t *dst, const Shape &extents);

template <size_t N>
class BroadcastLoop {
public:
  BroadcastLoop(const Shape &out, const std::array<const Shape *, N> &operands) : extents(out) {
    for (size_t i = 0; i < N; ++i)
      strides[i] = broadcastStrides(*operands[i], out);
    mergeAxes(extents, strides.data(), N);
    if (extents.empty()) {
      extents.push_back(1);
      for (Shape &stride : strides)
        stride.push_back(1);
    }
  }

  /// Calls body(outOffset, count, offsets, steps) once per innermost row; each
  /// step is 0 or 1.
  template <typename F>
  void rows(F body) const {
    size_t outer = extents.size() - 1;
    int64_t count = extents.back();
    int64_t total = product(extents, 0, outer);
    std::array<int64_t, N> steps;
    for (size_t i = 0; i < N; ++i)
      steps[i] = strides[i].back();
    std::array<int64_t, N> offsets{};
    Shape index(outer, 0);
    for (int64_t row = 0; row < total; ++row) {
      body(row * count, count, offsets, steps);
      for (size_t axis = outer; axis-- > 0;) {
        for (size_t i = 0; i < N; ++i)
          offsets[i] += strides[i][axis];
        if (++index[axis] < extents[axis])
          break;
        index[axis] = 0;
        for (size_t i = 0; i < N; ++i)
          offsets[i] -= strides[i][axis] * extents[axis];
      }
    }
  }

private:
  Shape extents;
  std::array<Shape, N> strides;
};

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_ITERATION_H
