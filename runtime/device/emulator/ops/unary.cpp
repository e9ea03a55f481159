//===- unary.cpp - Elementwise ops of one operand -------------------------===//

#include "runtime/device/emulator/ops/elementwise.h"
#include "runtime/device/emulator/ops/math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ane::rt::emulator {
namespace {

/// An op of one float or int32 operand and no parameter.
template <float (*F)(float), int32_t (*G)(int32_t)>
absl::StatusOr<PreparedOp> numberOp(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  if (!args.ok())
    return args.status();
  if (heldAsFloat(x.type.element))
    return mapFloats(x, [](float v) { return F(v); });
  return mapInts(x, [](int32_t v) { return G(v); });
}

float absFloat(float v) { return std::fabs(v); }
int32_t absInt(int32_t v) { return v < 0 ? static_cast<int32_t>(0u - static_cast<uint32_t>(v)) : v; }
float signFloat(float v) { return v > 0 ? 1.0f : (v < 0 ? -1.0f : (v == 0 ? 0.0f : v)); }
int32_t signInt(int32_t v) { return v > 0 ? 1 : (v < 0 ? -1 : 0); }
float squareFloat(float v) { return v * v; }
int32_t squareInt(int32_t v) {
  uint32_t u = static_cast<uint32_t>(v);
  return static_cast<int32_t>(u * u);
}
float exp2Float(float v) { return std::exp2(v); }
int32_t exp2Int(int32_t v) { return v < 0 || v > 31 ? 0 : static_cast<int32_t>(1u << v); }

float acosFloat(float v) { return std::acos(v); }
float asinFloat(float v) { return std::asin(v); }
float atanFloat(float v) { return std::atan(v); }
float atanhFloat(float v) { return std::atanh(v); }
float ceilFloat(float v) { return std::ceil(v); }
float cosFloat(float v) { return std::cos(v); }
float coshFloat(float v) { return std::cosh(v); }
float erfFloat(float v) { return std::erf(v); }
float expFloat(float v) { return vexp(v); }
float floorFloat(float v) { return std::floor(v); }
// Ties go to even (coreml-mlprogram.md 3, element-wise unary).
float roundFloat(float v) { return std::nearbyint(v); }
float sinFloat(float v) { return std::sin(v); }
float sinhFloat(float v) { return std::sinh(v); }
float sqrtFloat(float v) { return std::sqrt(v); }
float tanFloat(float v) { return std::tan(v); }
float tanhFloat(float v) { return vtanh(v); }

absl::StatusOr<PreparedOp> prepareInverse(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float epsilon = static_cast<float>(args.real("epsilon", 1e-4));
  if (!args.ok())
    return args.status();
  return mapFloats(x, [=](float v) { return 1.0f / (v + epsilon); });
}

absl::StatusOr<PreparedOp> prepareRsqrt(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float epsilon = static_cast<float>(args.real("epsilon", 1e-12));
  if (!args.ok())
    return args.status();
  return mapFloats(x, [=](float v) { return 1.0f / std::sqrt(v + epsilon); });
}

absl::StatusOr<PreparedOp> prepareLog(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float epsilon = static_cast<float>(args.real("epsilon", 1e-45));
  if (!args.ok())
    return args.status();
  return mapFloats(x, [=](float v) { return std::log(v + epsilon); });
}

absl::StatusOr<PreparedOp> prepareClip(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float low = static_cast<float>(args.real("alpha"));
  float high = static_cast<float>(args.real("beta"));
  if (args.ok() && args.opset() >= 17)
    args.require(low < high, "argument 'alpha' is ", low, ", not below 'beta' (", high, ")");
  if (!args.ok())
    return args.status();
  return mapFloats(x, [=](float v) { return v < low ? low : (v > high ? high : v); });
}

absl::StatusOr<PreparedOp> prepareThreshold(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  double alpha = args.real("alpha");
  if (!args.ok())
    return args.status();
  if (heldAsFloat(x.type.element)) {
    float low = static_cast<float>(alpha);
    return mapFloats(x, [=](float v) { return v < low ? low : v; });
  }
  int32_t low = saturated<int32_t>(alpha);
  return mapInts(x, [=](int32_t v) { return std::max(v, low); });
}

absl::StatusOr<PreparedOp> prepareLogicalNot(OpArgs &args) {
  Operand x = args.input("x", kBool);
  if (!args.ok())
    return args.status();
  return mapInts(x, [](int32_t v) { return v == 0 ? 1 : 0; });
}

/// saturated<int32_t>, in a form that vectorises. The executor wraps the result
/// to narrower types.
int32_t truncate(float v) {
  if (!(v == v))
    return 0;
  if (v >= 2147483648.0f)
    return std::numeric_limits<int32_t>::max();
  if (v <= -2147483648.0f)
    return std::numeric_limits<int32_t>::min();
  return static_cast<int32_t>(v);
}

absl::StatusOr<PreparedOp> prepareCast(OpArgs &args) {
  Operand x = args.input("x", kAny);
  TypeSet targets = kFloatIntBool;
  if (args.opset() >= 17)
    targets |= kSmallInt;
  ElementType to = args.elementType("dtype", targets);
  if (!args.ok())
    return args.status();
  TensorType type{to, x.type.shape};
  int64_t count = x.type.size();
  bool fromFloat = heldAsFloat(x.type.element);
  if (fromFloat && heldAsFloat(to))
    // The executor rounds a fp16 result.
    return oneResult(type, kernel([=](KernelContext &context) {
                       const float *in = context.floats(x);
                       std::copy(in, in + count, context.outFloats());
                     }));
  if (fromFloat)
    return oneResult(type, kernel([=](KernelContext &context) {
                       const float *in = context.floats(x);
                       int32_t *out = context.outInts();
                       if (to == ElementType::Bool)
                         for (int64_t i = 0; i < count; ++i)
                           out[i] = in[i] != 0.0f;
                       else
                         for (int64_t i = 0; i < count; ++i)
                           out[i] = truncate(in[i]);
                     }));
  if (heldAsFloat(to))
    return oneResult(type, kernel([=](KernelContext &context) {
                       const int32_t *in = context.ints(x);
                       float *out = context.outFloats();
                       for (int64_t i = 0; i < count; ++i)
                         out[i] = static_cast<float>(in[i]);
                     }));
  return oneResult(type, kernel([=](KernelContext &context) {
                     const int32_t *in = context.ints(x);
                     int32_t *out = context.outInts();
                     if (to == ElementType::Bool)
                       for (int64_t i = 0; i < count; ++i)
                         out[i] = in[i] != 0;
                     else
                       std::copy(in, in + count, out);
                   }));
}

constexpr OpEntry kOps[] = {
    {"abs", 15, numberOp<absFloat, absInt>},
    {"sign", 15, numberOp<signFloat, signInt>},
    {"square", 15, numberOp<squareFloat, squareInt>},
    {"exp2", 15, numberOp<exp2Float, exp2Int>},
    {"acos", 15, floatOp<acosFloat>},
    {"asin", 15, floatOp<asinFloat>},
    {"atan", 15, floatOp<atanFloat>},
    {"atanh", 15, floatOp<atanhFloat>},
    {"ceil", 15, floatOp<ceilFloat>},
    {"cos", 15, floatOp<cosFloat>},
    {"cosh", 15, floatOp<coshFloat>},
    {"erf", 15, floatOp<erfFloat>},
    {"exp", 15, floatOp<expFloat>},
    {"floor", 15, floatOp<floorFloat>},
    {"round", 15, floatOp<roundFloat>},
    {"sin", 15, floatOp<sinFloat>},
    {"sinh", 15, floatOp<sinhFloat>},
    {"sqrt", 15, floatOp<sqrtFloat>},
    {"tan", 15, floatOp<tanFloat>},
    {"tanh", 15, floatOp<tanhFloat>},
    {"inverse", 15, prepareInverse},
    {"rsqrt", 15, prepareRsqrt},
    {"log", 15, prepareLog},
    {"clip", 15, prepareClip},
    {"threshold", 15, prepareThreshold},
    {"logical_not", 15, prepareLogicalNot},
    {"cast", 15, prepareCast},
};

} // namespace

absl::Span<const OpEntry> unaryOps() { return kOps; }

} // namespace ane::rt::emulator
