//===- elementwise.h - Ops that map each element of one operand -----------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_ELEMENTWISE_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_ELEMENTWISE_H

#include "runtime/device/emulator/op_registry.h"

namespace ane::rt::emulator {

/// f of each element of `x`; the result has the type of x.
template <typename F>
PreparedOp mapFloats(const Operand &x, F f) {
  int64_t count = x.type.size();
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     float *out = context.outFloats();
                     for (int64_t i = 0; i < count; ++i)
                       out[i] = f(in[i]);
                   }));
}

template <typename F>
PreparedOp mapInts(const Operand &x, F f) {
  int64_t count = x.type.size();
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const int32_t *in = context.ints(x);
                     int32_t *out = context.outInts();
                     for (int64_t i = 0; i < count; ++i)
                       out[i] = f(in[i]);
                   }));
}

/// An op of one float operand and no parameter.
template <float (*F)(float)>
absl::StatusOr<PreparedOp> floatOp(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  if (!args.ok())
    return args.status();
  return mapFloats(x, [](float v) { return F(v); });
}

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_ELEMENTWISE_H
