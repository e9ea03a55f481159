//===- norm.cpp - Normalisations and softmax ------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/axis_layout.h"
#include "runtime/device/emulator/ops/math.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ane::rt::emulator {
namespace {

/// (x - mean) / sqrt(variance + epsilon) over the middle axis of
/// [outer, reduced, inner]; gamma and beta (may be null) have one entry per
/// index of that axis.
struct Normalise {
  int64_t outer, reduced, inner;
  float epsilon;

  void row(const float *x, const float *gamma, const float *beta, float *out) const {
    float n = static_cast<float>(reduced);
    float mean = laneSum(reduced, [=](int64_t i) { return x[i]; }) / n;
    float variance = laneSum(reduced,
                             [=](int64_t i) {
                               float d = x[i] - mean;
                               return d * d;
                             }) /
                     n;
    float scale = 1.0f / std::sqrt(variance + epsilon);
    for (int64_t i = 0; i < reduced; ++i)
      out[i] = (x[i] - mean) * scale;
    if (gamma)
      for (int64_t i = 0; i < reduced; ++i)
        out[i] *= gamma[i];
    if (beta)
      for (int64_t i = 0; i < reduced; ++i)
        out[i] += beta[i];
  }

  void block(const float *x, const float *gamma, const float *beta, float *mean, float *scale, float *out) const {
    float n = static_cast<float>(reduced);
    std::fill(mean, mean + inner, 0.0f);
    std::fill(scale, scale + inner, 0.0f);
    for (int64_t r = 0; r < reduced; ++r)
      for (int64_t i = 0; i < inner; ++i)
        mean[i] += x[r * inner + i];
    for (int64_t i = 0; i < inner; ++i)
      mean[i] /= n;
    for (int64_t r = 0; r < reduced; ++r)
      for (int64_t i = 0; i < inner; ++i) {
        float d = x[r * inner + i] - mean[i];
        scale[i] += d * d;
      }
    for (int64_t i = 0; i < inner; ++i)
      scale[i] = 1.0f / std::sqrt(scale[i] / n + epsilon);
    for (int64_t r = 0; r < reduced; ++r) {
      float g = gamma ? gamma[r] : 1.0f;
      float b = beta ? beta[r] : 0.0f;
      for (int64_t i = 0; i < inner; ++i)
        out[r * inner + i] = (x[r * inner + i] - mean[i]) * scale[i] * g + b;
    }
  }

  void operator()(KernelContext &context, const float *x, const float *gamma, const float *beta, float *out) const {
    float *mean = context.scratchFloats(inner);
    float *scale = context.scratchFloats(inner);
    for (int64_t o = 0; o < outer; ++o) {
      int64_t offset = o * reduced * inner;
      if (inner == 1)
        row(x + offset, gamma, beta, out + offset);
      else
        block(x + offset, gamma, beta, mean, scale, out + offset);
    }
  }
};

const float *floatsOrNull(KernelContext &context, const Operand &operand) {
  return operand.present() ? context.floats(operand) : nullptr;
}

absl::StatusOr<PreparedOp> prepareLayerNorm(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  std::vector<int64_t> axes = args.axesOrAll("axes", x.type.rank());
  Operand gamma = args.optionalConstant("gamma", kFloat);
  Operand beta = args.optionalConstant("beta", kFloat);
  float epsilon = static_cast<float>(args.real("epsilon", 1e-5));
  if (!args.ok())
    return args.status();
  Shape normalised;
  for (int64_t axis : axes)
    normalised.push_back(x.type.shape[static_cast<size_t>(axis)]);
  for (auto [name, operand] : {std::pair("gamma", gamma), {"beta", beta}})
    if (operand.present() && operand.type.shape != normalised)
      args.argumentError(name, "is ", operand.type.str(), "; its shape must be that of the normalised axes, ",
                         shapeString(normalised));
  if (!args.ok())
    return args.status();
  AxisLayout layout = AxisLayout::of(x.type.shape, axes, true);
  Normalise normalise{layout.outer, layout.reduced, layout.inner, epsilon};
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const float *in = layout.arrangedFloats(context, x);
                     const float *g = floatsOrNull(context, gamma);
                     const float *b = floatsOrNull(context, beta);
                     layout.writeFloats(context, context.outFloats(),
                                        [&](float *out) { normalise(context, in, g, b, out); });
                   }))
      .costing(0, 2 * (layout.scratch() + layout.inner));
}

/// Checks the rank of x and that a parameter has one entry per channel.
void requireChannelParameter(OpArgs &args, const Operand &x, std::string_view name, const Operand &operand) {
  if (!args.ok() || !operand.present())
    return;
  if (operand.type.shape != Shape{x.type.shape[1]})
    args.argumentError(name, "is ", operand.type.str(), "; it needs one element for each of the ", x.type.shape[1],
                       " channels (axis 1) of 'x'");
}

absl::StatusOr<PreparedOp> prepareInstanceNorm(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  Operand gamma = args.optionalConstant("gamma", kFloat);
  Operand beta = args.optionalConstant("beta", kFloat);
  float epsilon = static_cast<float>(args.real("epsilon", 1e-5));
  if (args.ok())
    args.require(x.type.rank() >= 3 && x.type.rank() <= 4, "'x' is ", x.type.str(), "; its rank must be 3 or 4");
  requireChannelParameter(args, x, "gamma", gamma);
  requireChannelParameter(args, x, "beta", beta);
  if (!args.ok())
    return args.status();
  int64_t channels = x.type.shape[1];
  int64_t planes = x.type.shape[0] * channels;
  int64_t inner = product(x.type.shape, 2, x.type.shape.size());
  Normalise normalise{1, inner, 1, epsilon};
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     const float *g = floatsOrNull(context, gamma);
                     const float *b = floatsOrNull(context, beta);
                     float *out = context.outFloats();
                     for (int64_t p = 0; p < planes; ++p) {
                       float *plane = out + p * inner;
                       normalise.row(in + p * inner, nullptr, nullptr, plane);
                       float scale = g ? g[p % channels] : 1.0f;
                       float shift = b ? b[p % channels] : 0.0f;
                       for (int64_t i = 0; i < inner; ++i)
                         plane[i] = plane[i] * scale + shift;
                     }
                   }));
}

absl::StatusOr<PreparedOp> prepareBatchNorm(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  Operand mean = args.constant("mean", kFloat);
  Operand variance = args.constant("variance", kFloat);
  Operand gamma = args.optionalConstant("gamma", kFloat);
  Operand beta = args.optionalConstant("beta", kFloat);
  float epsilon = static_cast<float>(args.real("epsilon", 1e-5));
  if (args.ok())
    args.require(x.type.rank() >= 3 && x.type.rank() <= 5, "'x' is ", x.type.str(), "; its rank must be 3 to 5");
  requireChannelParameter(args, x, "mean", mean);
  requireChannelParameter(args, x, "variance", variance);
  requireChannelParameter(args, x, "gamma", gamma);
  requireChannelParameter(args, x, "beta", beta);
  if (!args.ok())
    return args.status();
  int64_t channels = x.type.shape[1];
  int64_t planes = x.type.shape[0] * channels;
  int64_t inner = product(x.type.shape, 2, x.type.shape.size());
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     const float *m = context.floats(mean);
                     const float *v = context.floats(variance);
                     const float *g = floatsOrNull(context, gamma);
                     const float *b = floatsOrNull(context, beta);
                     float *out = context.outFloats();
                     for (int64_t p = 0; p < planes; ++p) {
                       int64_t c = p % channels;
                       float center = m[c];
                       float scale = (g ? g[c] : 1.0f) / std::sqrt(v[c] + epsilon);
                       float shift = b ? b[c] : 0.0f;
                       for (int64_t i = p * inner; i < (p + 1) * inner; ++i)
                         out[i] = (in[i] - center) * scale + shift;
                     }
                   }));
}

absl::StatusOr<PreparedOp> prepareL2Norm(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  float epsilon = static_cast<float>(args.real("epsilon", 1e-6));
  if (args.ok())
    args.require(x.type.rank() >= 3, "'x' is ", x.type.str(), "; its rank must be at least 3");
  if (!args.ok())
    return args.status();
  size_t rank = x.type.shape.size();
  int64_t outer = product(x.type.shape, 0, rank - 3);
  int64_t inner = product(x.type.shape, rank - 3, rank);
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     float *out = context.outFloats();
                     for (int64_t o = 0; o < outer; ++o, in += inner, out += inner) {
                       float squares = laneSum(inner, [=](int64_t i) { return in[i] * in[i]; });
                       float scale = 1.0f / std::sqrt(squares + epsilon);
                       for (int64_t i = 0; i < inner; ++i)
                         out[i] = in[i] * scale;
                     }
                   }));
}

/// x / (k + alpha/size * sum of squares of the neighbours)^beta. An even window
/// has its extra channel in front, as in PyTorch, whose op converters map onto
/// this one.
absl::StatusOr<PreparedOp> prepareLocalResponseNorm(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  int64_t size = args.integer("size");
  float alpha = static_cast<float>(args.real("alpha", 1e-4));
  float beta = static_cast<float>(args.real("beta", 0.75));
  float k = static_cast<float>(args.real("k", 1.0));
  if (args.ok()) {
    args.require(x.type.rank() >= 3, "'x' is ", x.type.str(), "; its rank must be at least 3");
    args.require(size >= 1, "argument 'size' is ", size, ", not positive");
  }
  if (!args.ok())
    return args.status();
  int64_t batch = x.type.shape[0];
  int64_t channels = x.type.shape[1];
  int64_t inner = product(x.type.shape, 2, x.type.shape.size());
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     float *out = context.outFloats();
                     float factor = alpha / static_cast<float>(size);
                     for (int64_t n = 0; n < batch; ++n, in += channels * inner, out += channels * inner)
                       for (int64_t c = 0; c < channels; ++c) {
                         int64_t first = std::max<int64_t>(0, c - size / 2);
                         int64_t last = std::min(channels - 1, c + (size - 1) / 2);
                         for (int64_t i = 0; i < inner; ++i) {
                           float squares = 0;
                           for (int64_t j = first; j <= last; ++j)
                             squares += in[j * inner + i] * in[j * inner + i];
                           out[c * inner + i] = in[c * inner + i] / std::pow(k + factor * squares, beta);
                         }
                       }
                   }))
      .costing(product({x.type.size(), std::min(size, channels)}));
}

struct Softmax {
  int64_t outer, reduced, inner;

  /// Also right for a row of -inf only: NaN, as in NumPy.
  void row(const float *x, float *out) const {
    float top = -std::numeric_limits<float>::infinity();
    for (int64_t i = 0; i < reduced; ++i)
      top = x[i] > top ? x[i] : top;
    for (int64_t i = 0; i < reduced; ++i)
      out[i] = vexp(x[i] - top);
    float scale = 1.0f / laneSum(reduced, [=](int64_t i) { return out[i]; });
    for (int64_t i = 0; i < reduced; ++i)
      out[i] *= scale;
  }

  void block(const float *x, float *top, float *sum, float *out) const {
    std::fill(top, top + inner, -std::numeric_limits<float>::infinity());
    std::fill(sum, sum + inner, 0.0f);
    for (int64_t r = 0; r < reduced; ++r)
      for (int64_t i = 0; i < inner; ++i)
        top[i] = x[r * inner + i] > top[i] ? x[r * inner + i] : top[i];
    for (int64_t r = 0; r < reduced; ++r)
      for (int64_t i = 0; i < inner; ++i) {
        float e = vexp(x[r * inner + i] - top[i]);
        out[r * inner + i] = e;
        sum[i] += e;
      }
    for (int64_t i = 0; i < inner; ++i)
      sum[i] = 1.0f / sum[i];
    for (int64_t r = 0; r < reduced; ++r)
      for (int64_t i = 0; i < inner; ++i)
        out[r * inner + i] *= sum[i];
  }
};

absl::StatusOr<PreparedOp> prepareSoftmax(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  int64_t axis = args.axis("axis", x.type.rank(), -1);
  if (!args.ok())
    return args.status();
  AxisLayout layout = AxisLayout::of(x.type.shape, {axis}, true);
  Softmax softmax{layout.outer, layout.reduced, layout.inner};
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     float *out = context.outFloats();
                     float *top = context.scratchFloats(softmax.inner);
                     float *sum = context.scratchFloats(softmax.inner);
                     for (int64_t o = 0; o < softmax.outer; ++o) {
                       int64_t offset = o * softmax.reduced * softmax.inner;
                       if (softmax.inner == 1)
                         softmax.row(in + offset, out + offset);
                       else
                         softmax.block(in + offset, top, sum, out + offset);
                     }
                   }))
      .costing(0, 2 * softmax.inner);
}

constexpr OpEntry kOps[] = {
    {"layer_norm", 15, prepareLayerNorm},
    {"instance_norm", 15, prepareInstanceNorm},
    {"batch_norm", 15, prepareBatchNorm},
    {"l2_norm", 15, prepareL2Norm},
    {"local_response_norm", 15, prepareLocalResponseNorm},
    {"softmax", 15, prepareSoftmax},
};

} // namespace

absl::Span<const OpEntry> normOps() { return kOps; }

} // namespace ane::rt::emulator
