//===- quantize.cpp - Affine quantisation ---------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/axis_scale.h"

#include <algorithm>
#include <cmath>

namespace ane::rt::emulator {
namespace {

/// clip(round(x / scale) + zero_point). Half-way values go to the even integer,
/// as in the op's definition; the engine rounds them away from zero
/// (ane-op-chip-matrix.md 4.2), which NumericModel has a field for.
absl::StatusOr<PreparedOp> prepareQuantize(OpArgs &args) {
  Operand x = args.input("input", kFloat);
  Operand scale = args.constant("scale", kFloat);
  Operand zero = args.optionalConstant("zero_point", setOf(ElementType::Int8) | setOf(ElementType::UInt8));
  ElementType to = args.elementType("output_dtype", setOf(ElementType::Int8) | setOf(ElementType::UInt8));
  AxisScale along = readAxisScale(args, x, scale, zero, AxisRule::WithVector);
  if (args.ok() && zero.present())
    args.require(zero.type.element == to, "'zero_point' is ", zero.type.str(), ", but 'output_dtype' is ",
                 std::string(milName(to)));
  if (!args.ok())
    return args.status();
  float low = to == ElementType::Int8 ? -128.0f : 0.0f;
  float high = to == ElementType::Int8 ? 127.0f : 255.0f;
  return oneResult({to, x.type.shape}, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     int32_t *out = context.outInts();
                     bool away = context.numerics.quantizeHalfAwayFromZero;
                     along.each(context, scale, zero, [&](int64_t first, int64_t count, float s, float z) {
                       for (int64_t i = first; i < first + count; ++i) {
                         float q = in[i] / s;
                         q = away ? std::round(q) : std::nearbyint(q);
                         q = std::clamp(q + z, low, high);
                         out[i] = static_cast<int32_t>(q == q ? q : 0.0f);
                       }
                     });
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareDequantize(OpArgs &args) {
  TypeSet bytes = setOf(ElementType::Int8) | setOf(ElementType::UInt8);
  Operand x = args.input("input", bytes);
  Operand scale = args.constant("scale", kFloat);
  Operand zero = args.optionalConstant("zero_point", bytes);
  AxisScale along = readAxisScale(args, x, scale, zero, AxisRule::WithVector);
  if (args.ok() && zero.present())
    args.require(zero.type.element == x.type.element, "'zero_point' is ", zero.type.str(), " and 'input' is ",
                 x.type.str(), "; both need the same element type");
  if (!args.ok())
    return args.status();
  return oneResult({scale.type.element, x.type.shape}, kernel([=](KernelContext &context) {
                     along.dequantize(context, x, scale, zero, context.outFloats());
                   }));
}

constexpr OpEntry kOps[] = {
    {"quantize", 17, prepareQuantize},
    {"dequantize", 17, prepareDequantize},
};

} // namespace

absl::Span<const OpEntry> quantizeOps() { return kOps; }

} // namespace ane::rt::emulator
