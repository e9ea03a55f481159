//===- binary.cpp - Elementwise ops of two or three operands --------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/iteration.h"

#include <algorithm>
#include <cmath>
#include <memory>

namespace ane::rt::emulator {
namespace {

struct BinaryArgs {
  Operand x;
  Operand y;
  Shape shape;
};

/// Operands of one element type whose shapes broadcast.
BinaryArgs readOperands(OpArgs &args, TypeSet allowed) {
  BinaryArgs result;
  result.x = args.input("x", allowed);
  result.y = args.input("y", allowed);
  if (!args.ok())
    return result;
  const TensorType &x = result.x.type;
  const TensorType &y = result.y.type;
  args.require(x.element == y.element, "'x' is ", x.str(), " and 'y' is ", y.str(),
               "; both need the same element type");
  std::optional<Shape> shape = broadcastShapes(x.shape, y.shape);
  args.require(shape.has_value(), "shapes ", shapeString(x.shape), " and ", shapeString(y.shape), " do not broadcast");
  if (shape)
    result.shape = *shape;
  return result;
}

/// One row; the three cases are separate loops so that each vectorises.
template <typename In, typename Out, typename F>
void row(const In *x, int64_t stepX, const In *y, int64_t stepY, Out *out, int64_t count, F f) {
  if (stepX == 1 && stepY == 1) {
    for (int64_t i = 0; i < count; ++i)
      out[i] = f(x[i], y[i]);
  } else if (stepX == 1) {
    In right = *y;
    for (int64_t i = 0; i < count; ++i)
      out[i] = f(x[i], right);
  } else if (stepY == 1) {
    In left = *x;
    for (int64_t i = 0; i < count; ++i)
      out[i] = f(left, y[i]);
  } else {
    std::fill(out, out + count, f(*x, *y));
  }
}

template <typename In>
const In *elements(KernelContext &context, const Operand &);
template <>
const float *elements<float>(KernelContext &context, const Operand &operand) {
  return context.floats(operand);
}
template <>
const int32_t *elements<int32_t>(KernelContext &context, const Operand &operand) {
  return context.ints(operand);
}

template <typename In, typename Out, typename F>
PreparedOp broadcastOp(const BinaryArgs &operands, ElementType element, F f) {
  auto loop = std::make_shared<const BroadcastLoop<2>>(
      operands.shape, std::array<const Shape *, 2>{&operands.x.type.shape, &operands.y.type.shape});
  Operand x = operands.x, y = operands.y;
  return oneResult({element, operands.shape}, kernel([=](KernelContext &context) {
                     const In *left = elements<In>(context, x);
                     const In *right = elements<In>(context, y);
                     Out *out = reinterpret_cast<Out *>(context.outWords());
                     loop->rows([&](int64_t offset, int64_t count, const std::array<int64_t, 2> &offsets,
                                    const std::array<int64_t, 2> &steps) {
                       row(left + offsets[0], steps[0], right + offsets[1], steps[1], out + offset, count, f);
                     });
                   }));
}

template <float (*F)(float, float), int32_t (*G)(int32_t, int32_t)>
absl::StatusOr<PreparedOp> arithmetic(OpArgs &args) {
  // Small integers come with iOS17 quantised programs.
  BinaryArgs operands = readOperands(args, args.opset() >= 17 ? kFloatInt | kSmallInt : kFloatInt);
  if (!args.ok())
    return args.status();
  ElementType element = operands.x.type.element;
  if (heldAsFloat(element))
    return broadcastOp<float, float>(operands, element, [](float a, float b) { return F(a, b); });
  return broadcastOp<int32_t, int32_t>(operands, element, [](int32_t a, int32_t b) { return G(a, b); });
}

template <template <typename> class Compare>
absl::StatusOr<PreparedOp> comparison(OpArgs &args) {
  BinaryArgs operands = readOperands(args, kAny);
  if (!args.ok())
    return args.status();
  if (heldAsFloat(operands.x.type.element))
    return broadcastOp<float, int32_t>(operands, ElementType::Bool,
                                       [](float a, float b) { return int32_t(Compare<float>()(a, b)); });
  return broadcastOp<int32_t, int32_t>(operands, ElementType::Bool,
                                       [](int32_t a, int32_t b) { return int32_t(Compare<int32_t>()(a, b)); });
}

template <int32_t (*F)(int32_t, int32_t)>
absl::StatusOr<PreparedOp> logical(OpArgs &args) {
  BinaryArgs operands = readOperands(args, kBool);
  if (!args.ok())
    return args.status();
  return broadcastOp<int32_t, int32_t>(operands, ElementType::Bool, [](int32_t a, int32_t b) { return F(a, b); });
}

// Integers wrap around.
int32_t wrap(uint32_t value) { return static_cast<int32_t>(value); }
uint32_t bits(int32_t value) { return static_cast<uint32_t>(value); }

float addFloat(float a, float b) { return a + b; }
int32_t addInt(int32_t a, int32_t b) { return wrap(bits(a) + bits(b)); }
float subFloat(float a, float b) { return a - b; }
int32_t subInt(int32_t a, int32_t b) { return wrap(bits(a) - bits(b)); }
float mulFloat(float a, float b) { return a * b; }
int32_t mulInt(int32_t a, int32_t b) { return wrap(bits(a) * bits(b)); }
float divFloat(float a, float b) { return a / b; }
/// Truncates; a division by zero gives 0.
int32_t divInt(int32_t a, int32_t b) {
  if (b == 0)
    return 0;
  return wrap(static_cast<uint32_t>(int64_t(a) / b));
}
float floorDivFloat(float a, float b) { return std::floor(a / b); }
int32_t floorDivInt(int32_t a, int32_t b) {
  if (b == 0)
    return 0;
  int64_t quotient = int64_t(a) / b;
  if (int64_t(a) % b != 0 && (a < 0) != (b < 0))
    --quotient;
  return wrap(static_cast<uint32_t>(quotient));
}
/// The result has the sign of the divisor, as in NumPy.
float modFloat(float a, float b) {
  float remainder = std::fmod(a, b);
  return remainder != 0.0f && (remainder < 0.0f) != (b < 0.0f) ? remainder + b : remainder;
}
int32_t modInt(int32_t a, int32_t b) {
  if (b == 0)
    return 0;
  int64_t remainder = int64_t(a) % b;
  return static_cast<int32_t>(remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder);
}
/// The exponents of norms without a call; everything else through libm.
float powFloat(float a, float b) {
  if (b == -0.5f)
    return 1.0f / std::sqrt(a);
  if (b == 2.0f)
    return a * a;
  if (b == 0.5f)
    return std::sqrt(a);
  return std::pow(a, b);
}
int32_t powInt(int32_t a, int32_t b) {
  if (b < 0)
    return a == 1 ? 1 : (a == -1 ? (b % 2 ? -1 : 1) : 0);
  uint32_t result = 1, base = bits(a);
  for (uint32_t e = bits(b); e != 0; e >>= 1, base *= base)
    if (e & 1)
      result *= base;
  return wrap(result);
}
// NaN wins, as in NumPy.
float maxFloat(float a, float b) { return a > b || a != a ? a : b; }
int32_t maxInt(int32_t a, int32_t b) { return std::max(a, b); }
float minFloat(float a, float b) { return a < b || a != a ? a : b; }
int32_t minInt(int32_t a, int32_t b) { return std::min(a, b); }

int32_t logicalAnd(int32_t a, int32_t b) { return a != 0 && b != 0; }
int32_t logicalOr(int32_t a, int32_t b) { return a != 0 || b != 0; }
int32_t logicalXor(int32_t a, int32_t b) { return (a != 0) != (b != 0); }

absl::StatusOr<PreparedOp> prepareSelect(OpArgs &args) {
  Operand cond = args.input("cond", kBool);
  Operand a = args.input("a", kAny);
  Operand b = args.input("b", kAny);
  if (!args.ok())
    return args.status();
  args.require(a.type.element == b.type.element, "'a' is ", a.type.str(), " and 'b' is ", b.type.str(),
               "; both need the same element type");
  std::optional<Shape> shape = broadcastShapes(a.type.shape, b.type.shape);
  if (shape)
    shape = broadcastShapes(*shape, cond.type.shape);
  if (!args.require(shape.has_value(), "shapes ", shapeString(cond.type.shape), ", ", shapeString(a.type.shape),
                    " and ", shapeString(b.type.shape), " do not broadcast"))
    return args.status();
  BroadcastLoop<3> loop(*shape, {&cond.type.shape, &a.type.shape, &b.type.shape});
  return oneResult({a.type.element, *shape}, kernel([=](KernelContext &context) {
                     const int32_t *c = context.ints(cond);
                     const uint32_t *left = context.words(a);
                     const uint32_t *right = context.words(b);
                     uint32_t *out = context.outWords();
                     loop.rows([&](int64_t offset, int64_t count, const std::array<int64_t, 3> &offsets,
                                   const std::array<int64_t, 3> &steps) {
                       for (int64_t i = 0; i < count; ++i)
                         out[offset + i] = c[offsets[0] + i * steps[0]] ? left[offsets[1] + i * steps[1]]
                                                                        : right[offsets[2] + i * steps[2]];
                     });
                   }),
                   /*exact=*/true);
}

constexpr OpEntry kOps[] = {
    {"add", 15, arithmetic<addFloat, addInt>},
    {"sub", 15, arithmetic<subFloat, subInt>},
    {"mul", 15, arithmetic<mulFloat, mulInt>},
    {"real_div", 15, arithmetic<divFloat, divInt>},
    {"floor_div", 15, arithmetic<floorDivFloat, floorDivInt>},
    {"mod", 15, arithmetic<modFloat, modInt>},
    {"pow", 15, arithmetic<powFloat, powInt>},
    {"maximum", 15, arithmetic<maxFloat, maxInt>},
    {"minimum", 15, arithmetic<minFloat, minInt>},
    {"equal", 15, comparison<std::equal_to>},
    {"not_equal", 15, comparison<std::not_equal_to>},
    {"greater", 15, comparison<std::greater>},
    {"greater_equal", 15, comparison<std::greater_equal>},
    {"less", 15, comparison<std::less>},
    {"less_equal", 15, comparison<std::less_equal>},
    {"logical_and", 15, logical<logicalAnd>},
    {"logical_or", 15, logical<logicalOr>},
    {"logical_xor", 15, logical<logicalXor>},
    {"select", 15, prepareSelect},
};

} // namespace

absl::Span<const OpEntry> binaryOps() { return kOps; }

} // namespace ane::rt::emulator
