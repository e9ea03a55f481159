//===- activation.cpp - Activations ---------------------------------------===//

#include "runtime/device/emulator/ops/elementwise.h"
#include "runtime/device/emulator/ops/math.h"

#include <cmath>

namespace ane::rt::emulator {
namespace {

float relu(float v) { return v > 0.0f || v != v ? v : 0.0f; }
float relu6(float v) { return v > 6.0f ? 6.0f : relu(v); }
float sigmoid(float v) { return vsigmoid(v); }
/// x e^-x overflows to inf/inf for large negative x; the limit is -0.
float silu(float v) { return v < -100.0f ? -0.0f : v * vsigmoid(v); }
float softsign(float v) { return std::isinf(v) ? std::copysign(1.0f, v) : v / (1.0f + std::fabs(v)); }

float geluExact(float v) {
  float half = 0.5f * (1.0f + std::erf(v * 0.70710678118654752f));
  return half == 0.0f ? -0.0f : v * half;
}
float geluTanh(float v) {
  // Large |x| saturate long before x^3 overflows.
  float bounded = v < -20.0f ? -20.0f : (v > 20.0f ? 20.0f : v);
  float inner = 0.7978845608028654f * (bounded + 0.044715f * bounded * bounded * bounded);
  float half = 0.5f * (1.0f + vtanh(inner));
  return half == 0.0f ? 0.0f : v * half;
}
float geluSigmoid(float v) {
  float gate = vsigmoid(1.702f * v);
  return v < -60.0f ? -0.0f : v * gate;
}

absl::StatusOr<PreparedOp> prepareGelu(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  std::string mode = args.string("mode", "EXACT");
  if (!args.ok())
    return args.status();
  if (mode == "EXACT")
    return mapFloats(x, [](float v) { return geluExact(v); });
  if (mode == "TANH_APPROXIMATION")
    return mapFloats(x, [](float v) { return geluTanh(v); });
  if (mode == "SIGMOID_APPROXIMATION")
    return mapFloats(x, [](float v) { return geluSigmoid(v); });
  args.argumentError("mode", "is \"", mode,
                     "\"; it must be EXACT, TANH_APPROXIMATION or "
                     "SIGMOID_APPROXIMATION");
  return args.status();
}

absl::StatusOr<PreparedOp> prepareLeakyRelu(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float alpha = static_cast<float>(args.real("alpha"));
  if (!args.ok())
    return args.status();
  return mapFloats(x, [=](float v) { return v >= 0.0f ? v : alpha * v; });
}

absl::StatusOr<PreparedOp> prepareElu(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float alpha = static_cast<float>(args.real("alpha"));
  if (!args.ok())
    return args.status();
  return mapFloats(x, [=](float v) { return v > 0.0f ? v : alpha * std::expm1(v); });
}

absl::StatusOr<PreparedOp> prepareThresholdedRelu(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float alpha = static_cast<float>(args.real("alpha"));
  if (!args.ok())
    return args.status();
  return mapFloats(x, [=](float v) { return v >= alpha ? v : 0.0f; });
}

/// Activations of two scalar parameters.
template <float (*F)(float, float, float)>
absl::StatusOr<PreparedOp> parametric(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float alpha = static_cast<float>(args.real("alpha"));
  float beta = static_cast<float>(args.real("beta"));
  if (!args.ok())
    return args.status();
  return mapFloats(x, [=](float v) { return F(v, alpha, beta); });
}

float clampedRelu(float v, float alpha, float beta) {
  float bent = v >= 0.0f ? v : alpha * v;
  return bent > beta ? beta : bent;
}
float linearActivation(float v, float alpha, float beta) { return alpha * v + beta; }
float scaledTanh(float v, float alpha, float beta) { return alpha * vtanh(beta * v); }
float sigmoidHard(float v, float alpha, float beta) {
  float line = alpha * v + beta;
  return line < 0.0f ? 0.0f : (line > 1.0f ? 1.0f : line);
}

/// Calls f(value, channel) for x of rank 3 to 5, channels on axis 1.
template <typename F>
absl::StatusOr<PreparedOp> perChannel(const Operand &x, F f) {
  const Shape &shape = x.type.shape;
  int64_t channels = shape[1];
  int64_t inner = product(shape, 2, shape.size());
  int64_t outer = shape[0] * channels;
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     float *out = context.outFloats();
                     for (int64_t o = 0; o < outer; ++o) {
                       int64_t channel = o % channels;
                       for (int64_t i = o * inner; i < (o + 1) * inner; ++i)
                         out[i] = f(in[i], static_cast<size_t>(channel));
                     }
                   }));
}

void requireChannels(OpArgs &args, const Operand &x, std::string_view name, const std::vector<float> &values) {
  if (!args.ok())
    return;
  if (!args.require(x.type.rank() >= 3 && x.type.rank() <= 5, "'x' is ", x.type.str(), "; its rank must be 3 to 5"))
    return;
  if (static_cast<int64_t>(values.size()) != x.type.shape[1])
    args.argumentError(name, "has ", values.size(), " elements; 'x' has ", x.type.shape[1], " channels (axis 1)");
}

absl::StatusOr<PreparedOp> preparePrelu(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  std::vector<float> alpha = args.reals("alpha");
  requireChannels(args, x, "alpha", alpha);
  if (!args.ok())
    return args.status();
  return perChannel(x, [=](float v, size_t c) { return v >= 0.0f ? v : alpha[c] * v; });
}

absl::StatusOr<PreparedOp> prepareSoftplusParametric(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  std::vector<float> alpha = args.reals("alpha");
  std::vector<float> beta = args.reals("beta");
  requireChannels(args, x, "alpha", alpha);
  requireChannels(args, x, "beta", beta);
  if (!args.ok())
    return args.status();
  return perChannel(x, [=](float v, size_t c) { return alpha[c] * softplus(beta[c] * v); });
}

constexpr OpEntry kOps[] = {
    {"relu", 15, floatOp<relu>},
    {"relu6", 15, floatOp<relu6>},
    {"sigmoid", 15, floatOp<sigmoid>},
    {"silu", 15, floatOp<silu>},
    {"softplus", 15, floatOp<softplus>},
    {"softsign", 15, floatOp<softsign>},
    {"gelu", 15, prepareGelu},
    {"leaky_relu", 15, prepareLeakyRelu},
    {"elu", 15, prepareElu},
    {"thresholded_relu", 15, prepareThresholdedRelu},
    {"prelu", 15, preparePrelu},
    {"clamped_relu", 15, parametric<clampedRelu>},
    {"linear_activation", 15, parametric<linearActivation>},
    {"scaled_tanh", 15, parametric<scaledTanh>},
    {"sigmoid_hard", 15, parametric<sigmoidHard>},
    {"softplus_parametric", 15, prepareSoftplusParametric},
};

} // namespace

absl::Span<const OpEntry> activationOps() { return kOps; }

} // namespace ane::rt::emulator
