//===- axis_layout.cpp - Some axes of a tensor as one ---------------------===//

#include "runtime/device/emulator/ops/axis_layout.h"

#include "runtime/device/emulator/ops/iteration.h"

namespace ane::rt::emulator {

AxisLayout AxisLayout::of(const Shape &shape, const std::vector<int64_t> &axes, bool keepDims) {
  AxisLayout layout;
  std::vector<bool> isReduced(shape.size(), false);
  for (int64_t axis : axes)
    isReduced[static_cast<size_t>(axis)] = true;
  Shape dense = rowMajorStrides(shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!isReduced[i]) {
      layout.result.push_back(shape[i]);
      layout.extents.push_back(shape[i]);
      layout.strides.push_back(dense[i]);
    } else if (keepDims) {
      layout.result.push_back(1);
    }
  }
  // States: 0 before the reduced axes, 1 in them, 2 behind them. Axes of size
  // 1 belong to any state.
  int state = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (isReduced[i]) {
      layout.reduced *= shape[i];
      if (shape[i] == 1)
        continue;
      layout.transposes |= state == 2;
      state = 1;
      continue;
    }
    if (shape[i] != 1 && state == 1)
      state = 2;
    (state == 0 ? layout.outer : layout.inner) *= shape[i];
  }
  if (!layout.transposes)
    return layout;
  layout.outer *= layout.inner;
  layout.inner = 1;
  for (size_t i = 0; i < shape.size(); ++i)
    if (isReduced[i]) {
      layout.extents.push_back(shape[i]);
      layout.strides.push_back(dense[i]);
    }
  return layout;
}

const uint32_t *AxisLayout::arranged(KernelContext &context, const Operand &x) const {
  const uint32_t *in = context.words(x);
  if (!transposes)
    return in;
  auto *copy = reinterpret_cast<uint32_t *>(context.scratchFloats(outer * reduced));
  gatherStrided(in, strides, copy, extents);
  return copy;
}

void AxisLayout::restore(const float *arranged, float *out) const {
  copyStrided(reinterpret_cast<const uint32_t *>(arranged), rowMajorStrides(extents), reinterpret_cast<uint32_t *>(out),
              strides, extents);
}

} // namespace ane::rt::emulator
