//===- axis_layout.h - Some axes of a tensor as one -----------------------===//
//
// Reductions, norms and softmax see a tensor as [outer, reduced, inner]. When
// the axes they work on do not stand together, the tensor is transposed into
// scratch memory first.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_AXIS_LAYOUT_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_AXIS_LAYOUT_H

#include "runtime/device/emulator/op_registry.h"

namespace ane::rt::emulator {

struct AxisLayout {
  /// Shape after the axes are reduced.
  Shape result;
  int64_t outer = 1;
  int64_t reduced = 1;
  int64_t inner = 1;
  bool transposes = false;
  /// The transposed view, if `transposes`: kept axes, then reduced axes.
  Shape extents;
  Shape strides;

  /// `axes` are distinct and non-negative.
  static AxisLayout of(const Shape &shape, const std::vector<int64_t> &axes, bool keepDims);

  /// Elements of a transposed copy, if there is one.
  int64_t scratch() const { return transposes ? outer * reduced : 0; }

  /// The operand as [outer, reduced, inner].
  const uint32_t *arranged(KernelContext &context, const Operand &x) const;
  const float *arrangedFloats(KernelContext &context, const Operand &x) const {
    return reinterpret_cast<const float *>(arranged(context, x));
  }

  /// Calls body(float *result), whose memory is [outer, reduced, inner], and
  /// brings what it wrote into the order of the tensor.
  template <typename F>
  void writeFloats(KernelContext &context, float *out, F body) const {
    if (!transposes) {
      body(out);
      return;
    }
    float *copy = context.scratchFloats(outer * reduced);
    body(copy);
    restore(copy, out);
  }

private:
  void restore(const float *arranged, float *out) const;
};

/// Sum of f(i) for i in [0, count), in independent lanes that vectorise.
template <typename F>
float laneSum(int64_t count, F f) {
  constexpr int64_t kLanes = 16;
  float lanes[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += f(i + lane);
  for (; i < count; ++i)
    lanes[0] += f(i);
  float sum = 0;
  for (float lane : lanes)
    sum += lane;
  return sum;
}

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_AXIS_LAYOUT_H
