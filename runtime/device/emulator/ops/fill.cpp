//===- fill.cpp - Tensors made from a few numbers -------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/math.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ane::rt::emulator {
namespace {

/// A scalar parameter as one four-byte element of its own type.
struct Scalar {
  ElementType type = ElementType::Float32;
  uint32_t word = 0;
};

Scalar readScalar(OpArgs &args, std::string_view name, Scalar otherwise) {
  Operand operand = args.optionalConstant(name, kAny);
  if (!operand.present())
    return otherwise;
  if (operand.type.size() != 1) {
    args.argumentError(name, "is ", operand.type.str(), "; one element is needed");
    return otherwise;
  }
  Scalar scalar{operand.type.element, 0};
  std::memcpy(&scalar.word, operand.constant->ints(), sizeof(uint32_t));
  return scalar;
}

PreparedOp filled(TensorType type, Scalar value) {
  int64_t count = type.size();
  return oneResult(std::move(type), kernel([=](KernelContext &context) {
                     uint32_t *out = context.outWords();
                     std::fill(out, out + count, value.word);
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareFill(OpArgs &args) {
  Operand shape = args.list("shape", kInt32);
  Scalar value = readScalar(args, "value", {});
  if (!args.ok())
    return args.status();
  TensorType type{value.type, args.declared().front().shape};
  if (shape.constant) {
    const int32_t *sizes = shape.constant->ints();
    type.shape.assign(sizes, sizes + shape.type.size());
  }
  for (int64_t size : type.shape)
    args.require(size >= 0, "argument 'shape' contains ", size);
  if (!args.ok())
    return args.status();
  return filled(type, value);
}

absl::StatusOr<PreparedOp> prepareFillLike(OpArgs &args) {
  Operand ref = args.input("ref_tensor", kAny);
  Scalar value = readScalar(args, "value", {});
  if (!args.ok())
    return args.status();
  return filled({value.type, ref.type.shape}, value);
}

absl::StatusOr<PreparedOp> prepareRange(OpArgs &args) {
  Operand start = args.input("start", kFloatInt);
  Operand end = args.input("end", kFloatInt);
  Operand step = args.input("step", kFloatInt);
  if (!args.ok())
    return args.status();
  args.require(start.type.size() == 1 && end.type.size() == 1 && step.type.size() == 1,
               "'start', 'end' and 'step' must be scalars");
  args.require(start.type.element == end.type.element && start.type.element == step.type.element,
               "'start', 'end' and 'step' need the same element type");
  if (!args.ok())
    return args.status();
  bool floats = heldAsFloat(start.type.element);
  TensorType type{start.type.element, args.declared().front().shape};
  if (start.constant && end.constant && step.constant) {
    auto value = [&](const Operand &operand) {
      return floats ? static_cast<double>(operand.constant->floats()[0])
                    : static_cast<double>(operand.constant->ints()[0]);
    };
    if (!args.require(value(step) != 0, "argument 'step' is 0"))
      return args.status();
    double count = std::ceil((value(end) - value(start)) / value(step));
    type.shape = {saturated<int64_t>(std::max(count, 0.0))};
  }
  args.require(type.shape.size() == 1, "the result is ", type.str(), "; its rank must be 1");
  if (!args.ok())
    return args.status();
  int64_t count = type.size();
  return oneResult(type, kernel([=](KernelContext &context) {
                     if (floats) {
                       float first = *context.floats(start), by = *context.floats(step);
                       for (int64_t i = 0; i < count; ++i)
                         context.outFloats()[i] = first + static_cast<float>(i) * by;
                       return;
                     }
                     uint32_t first = static_cast<uint32_t>(*context.ints(start));
                     uint32_t by = static_cast<uint32_t>(*context.ints(step));
                     for (int64_t i = 0; i < count; ++i)
                       context.outInts()[i] = static_cast<int32_t>(first + static_cast<uint32_t>(i) * by);
                   }));
}

absl::StatusOr<PreparedOp> prepareBandPart(OpArgs &args) {
  Operand x = args.input("x", kFloatIntBool);
  int64_t lower = args.integer("lower", -1);
  int64_t upper = args.integer("upper", -1);
  if (!args.ok())
    return args.status();
  if (!args.require(x.type.rank() >= 2, "'x' is ", x.type.str(), "; its rank must be at least 2"))
    return args.status();
  int64_t columns = x.type.shape.back();
  int64_t rows = x.type.shape[x.type.shape.size() - 2];
  int64_t matrices = product(x.type.shape, 0, x.type.shape.size() - 2);
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const uint32_t *in = context.words(x);
                     uint32_t *out = context.outWords();
                     for (int64_t m = 0; m < matrices * rows; ++m) {
                       int64_t row = m % rows;
                       for (int64_t column = 0; column < columns; ++column) {
                         bool inside = (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper);
                         *out++ = inside ? *in : 0;
                         ++in;
                       }
                     }
                   }),
                   /*exact=*/true);
}

/// Indices outside of the vector give a vector of off values.
absl::StatusOr<PreparedOp> prepareOneHot(OpArgs &args) {
  Operand indices = args.input("indices", args.opset() >= 17 ? kIndex : kInt32);
  int64_t size = args.integer("one_hot_vector_size");
  int64_t axis = args.axis("axis", indices.type.rank() + 1, -1);
  Scalar on = readScalar(args, "on_value", {ElementType::Int32, 1});
  Scalar off = readScalar(args, "off_value", {ElementType::Int32, 0});
  if (!args.ok())
    return args.status();
  args.require(size >= 0, "argument 'one_hot_vector_size' is ", size);
  args.require(on.type == off.type, "'on_value' is ", std::string(milName(on.type)), " and 'off_value' is ",
               std::string(milName(off.type)), "; both need the same type");
  if (!args.ok())
    return args.status();
  TensorType type{on.type, indices.type.shape};
  type.shape.insert(type.shape.begin() + axis, size);
  size_t at = static_cast<size_t>(axis);
  int64_t outer = product(indices.type.shape, 0, at);
  int64_t inner = product(indices.type.shape, at, indices.type.shape.size());
  return oneResult(type, kernel([=](KernelContext &context) {
                     const int32_t *index = context.ints(indices);
                     uint32_t *out = context.outWords();
                     std::fill(out, out + type.size(), off.word);
                     for (int64_t o = 0; o < outer; ++o)
                       for (int64_t i = 0; i < inner; ++i) {
                         int64_t position = *index++;
                         if (position >= 0 && position < size)
                           out[(o * size + position) * inner + i] = on.word;
                       }
                   }),
                   /*exact=*/true);
}

constexpr OpEntry kOps[] = {
    {"fill", 15, prepareFill},          {"fill_like", 16, prepareFillLike}, {"range_1d", 15, prepareRange},
    {"band_part", 15, prepareBandPart}, {"one_hot", 15, prepareOneHot},
};

} // namespace

absl::Span<const OpEntry> fillOps() { return kOps; }

} // namespace ane::rt::emulator
