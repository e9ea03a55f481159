//===- axis_scale.h - One scale per tensor or per index of an axis --------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_AXIS_SCALE_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_AXIS_SCALE_H

#include "runtime/device/emulator/op_registry.h"

namespace ane::rt::emulator {

/// When `axis` must be given: quantize and dequantize want it exactly with a
/// vector, constexpr_affine_dequantize always.
enum class AxisRule { WithVector, Always };

struct AxisScale {
  int64_t outer = 1, size = 1, inner = 1;
  bool scaleIsVector = false;
  bool zeroIsVector = false;

  /// Calls body(first element, count, scale, zero point) for each run of
  /// elements that share them.
  template <typename F>
  void each(KernelContext &context, const Operand &scale, const Operand &zero, F body) const {
    const float *s = context.floats(scale);
    auto zeroAt = [&](int64_t i) {
      if (!zero.present())
        return 0.0f;
      int64_t at = zeroIsVector ? i : 0;
      return heldAsFloat(zero.type.element) ? context.floats(zero)[at] : static_cast<float>(context.ints(zero)[at]);
    };
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < size; ++i)
        body((o * size + i) * inner, inner, s[scaleIsVector ? i : 0], zeroAt(i));
  }

  /// scale * (x - zero_point)
  void dequantize(KernelContext &context, const Operand &x, const Operand &scale, const Operand &zero,
                  float *out) const {
    const int32_t *in = context.ints(x);
    each(context, scale, zero, [&](int64_t first, int64_t count, float s, float z) {
      for (int64_t i = first; i < first + count; ++i)
        out[i] = s * (static_cast<float>(in[i]) - z);
    });
  }
};

/// Checks scale and zero_point (which may be absent) against `x` and reads
/// `axis`.
AxisScale readAxisScale(OpArgs &args, const Operand &x, const Operand &scale, const Operand &zero, AxisRule rule);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_AXIS_SCALE_H
