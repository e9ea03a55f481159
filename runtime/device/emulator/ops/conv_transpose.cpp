//===- conv_transpose.cpp - Transposed convolution ------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/gemm.h"
#include "runtime/device/emulator/ops/window.h"

#include <algorithm>

namespace ane::rt::emulator {
namespace {

/// The window of the convolution whose transpose this is: its input is our
/// result, its output our operand.
struct TransposePlan {
  Window window;
  int64_t batch, groups;
  int64_t inPerGroup, outPerGroup;

  int64_t depth() const { return outPerGroup * taps(window); }

  /// Adds row (c, tap) of `columns` to the positions that the tap meets.
  void fold(const float *columns, float *out) const {
    const WindowAxis &d = window[0], &h = window[1], &w = window[2];
    const float *source = columns;
    for (int64_t c = 0; c < outPerGroup; ++c)
      for (int64_t kd = 0; kd < d.kernel; ++kd)
        for (int64_t kh = 0; kh < h.kernel; ++kh)
          for (int64_t kw = 0; kw < w.kernel; ++kw, source += outputs(window)) {
            int64_t first = w.firstInside(kw), last = w.lastInside(kw);
            for (int64_t od = d.firstInside(kd); od < d.lastInside(kd); ++od)
              for (int64_t oh = h.firstInside(kh); oh < h.lastInside(kh); ++oh) {
                const float *line = source + (od * h.out + oh) * w.out + first;
                float *target =
                    out + ((c * d.in + d.position(od, kd)) * h.in + h.position(oh, kh)) * w.in + w.position(first, kw);
                for (int64_t i = 0; i < last - first; ++i)
                  target[i * w.stride] += line[i];
              }
          }
  }

  void run(KernelContext &context, const float *in, const float *weight, float *out) const {
    float *columns = context.scratchFloats(depth() * outputs(window));
    std::fill(out, out + batch * groups * outPerGroup * positions(window), 0.0f);
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t g = 0; g < groups; ++g) {
        const float *x = in + (n * groups + g) * inPerGroup * outputs(window);
        // weight[g] is [inPerGroup, outPerGroup * taps].
        gemm(depth(), outputs(window), inPerGroup, {weight + g * inPerGroup * depth(), depth(), /*transposed=*/true},
             {x, outputs(window)}, columns, outputs(window));
        fold(columns, out + (n * groups + g) * outPerGroup * positions(window));
      }
  }
};

/// Sizes of the result. Without output_shape: `same` gives in * stride, the
/// others what the taps cover less the padding.
Window readTransposeWindow(OpArgs &args, const Shape &in, const Shape &w, int64_t channels) {
  size_t spatial = in.size() - 2;
  std::vector<int64_t> strides = args.integers("strides", spatial, 1);
  std::vector<int64_t> dilations = args.integers("dilations", spatial, 1);
  std::vector<int64_t> pad = args.integers("pad", 2 * spatial, 0);
  std::string padType = args.string("pad_type", "valid");
  std::optional<std::vector<int64_t>> shape = args.optionalIntegers("output_shape");
  Window window;
  if (!args.ok())
    return window;
  if (padType != "valid" && padType != "same" && padType != "custom")
    args.argumentError("pad_type", "is \"", padType, "\"; it must be valid, same or custom");
  if (shape)
    args.require(shape->size() == in.size() && (*shape)[0] == in[0] && (*shape)[1] == channels,
                 "argument 'output_shape' is ", shapeString(*shape), "; it must have rank ", in.size(),
                 " and begin with ", in[0], ", ", channels);
  for (size_t i = 0; i < spatial && args.ok(); ++i) {
    WindowAxis &axis = window[3 - spatial + i];
    axis.out = in[2 + i];
    axis.kernel = w[2 + i];
    axis.stride = strides[i];
    axis.dilation = dilations[i];
    if (!args.require(axis.stride > 0 && axis.dilation > 0 && axis.kernel > 0,
                      "stride, dilation and kernel must be positive on "
                      "spatial axis ",
                      i))
      return window;
    int64_t covered = (axis.out - 1) * axis.stride + axis.extent();
    if (padType == "same") {
      axis.in = shape ? (*shape)[2 + i] : axis.out * axis.stride;
      int64_t total = std::max<int64_t>(0, covered - axis.in);
      axis.padBefore = total / 2;
      continue;
    }
    int64_t before = padType == "custom" ? pad[2 * i] : 0;
    int64_t after = padType == "custom" ? pad[2 * i + 1] : 0;
    args.require(before >= 0 && after >= 0, "the padding on spatial axis ", i, " is negative");
    axis.padBefore = before;
    // An output_shape beyond the covered size is filled with zeros at the end.
    axis.in = shape ? (*shape)[2 + i] : covered - before - after;
    args.require(axis.in > 0, "the result has ", axis.in, " elements on spatial axis ", i);
  }
  return window;
}

absl::StatusOr<PreparedOp> prepareConvTranspose(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  Operand weight = args.opset() >= 17 ? args.input("weight", kFloat) : args.constant("weight", kFloat);
  Operand bias = args.opset() >= 17 ? args.optionalInput("bias", kFloat) : args.optionalConstant("bias", kFloat);
  int64_t groups = args.integer("groups", 1);
  if (!args.ok())
    return args.status();
  const Shape &in = x.type.shape, &w = weight.type.shape;
  args.require(in.size() >= 3 && in.size() <= 5, "'x' is ", x.type.str(), "; its rank must be 3 to 5");
  args.require(w.size() == in.size(), "'weight' is ", weight.type.str(), "; its rank must be that of 'x', ", in.size());
  args.require(groups > 0, "argument 'groups' is ", groups, ", not positive");
  if (!args.ok())
    return args.status();
  args.require(w[0] == in[1], "'weight' is ", weight.type.str(), "; its first axis must be the ", in[1],
               " channels of 'x'");
  args.require(in[1] % groups == 0, in[1], " input channels do not divide into ", groups, " groups");
  int64_t channels = w[1] * groups;
  if (bias.present())
    args.require(bias.type.shape == Shape{channels}, "'bias' is ", bias.type.str(),
                 "; it needs one element for each of ", channels, " output channels");
  if (!args.ok())
    return args.status();
  Window window = readTransposeWindow(args, in, w, channels);
  if (!args.ok())
    return args.status();

  TensorType type{x.type.element, {in[0], channels}};
  for (size_t i = 0; i + 2 < in.size(); ++i)
    type.shape.push_back(window[3 - (in.size() - 2) + i].in);
  if (!args.fits(type))
    return args.status();
  TransposePlan plan{window, in[0], groups, in[1] / groups, w[1]};
  int64_t columns = product({plan.depth(), outputs(window)});
  int64_t folded = product({plan.batch, plan.groups, columns});
  int64_t work = saturatingSum(Cost::products({folded, plan.inPerGroup}),
                               product({plan.batch, plan.groups, plan.depth(), visitsOfTap(window)}));
  return oneResult(type, kernel([=](KernelContext &context) {
                     float *out = context.outFloats();
                     plan.run(context, context.floats(x), context.floats(weight), out);
                     int64_t plane = positions(plan.window);
                     leaveAccumulator(context.numerics, out, plan.batch * channels * plane);
                     if (bias.present())
                       addBias(out, context.floats(bias), plan.batch, channels, plane);
                   }))
      .costing(work, columns);
}

constexpr OpEntry kOps[] = {{"conv_transpose", 15, prepareConvTranspose}};

} // namespace

absl::Span<const OpEntry> convTransposeOps() { return kOps; }

} // namespace ane::rt::emulator
