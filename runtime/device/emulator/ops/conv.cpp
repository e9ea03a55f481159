//===- conv.cpp - Convolution ---------------------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/gemm.h"
#include "runtime/device/emulator/ops/window.h"

#include <algorithm>
#include <cstring>

namespace ane::rt::emulator {
namespace {

/// Elements of the unfolded part of an input: bounds scratch memory to some
/// megabytes whatever the size of the image.
constexpr int64_t kScratchElements = int64_t(4) << 20;

struct ConvPlan {
  Window window;
  int64_t batch, groups;
  int64_t inPerGroup, outPerGroup;

  int64_t depth() const { return inPerGroup * taps(window); }
  bool isPointwise() const {
    for (const WindowAxis &a : window)
      if (a.kernel != 1 || a.stride != 1 || a.padBefore != 0 || a.padAfter != 0)
        return false;
    return true;
  }
  /// One input channel per group and few outputs: a product of vectors, for
  /// which unfolding would cost more than the arithmetic.
  bool isDepthwise() const { return inPerGroup == 1 && outPerGroup <= 4; }

  /// A rectangle of outputs: rows (one depth and height each) and columns.
  struct Patch {
    int64_t firstRow, lastRow, firstColumn, lastColumn;
    int64_t width() const { return lastColumn - firstColumn; }
    int64_t size() const { return (lastRow - firstRow) * width(); }
  };

  /// Unfolds the inputs of a patch of one group: row (c, tap) of the result has
  /// the inputs that meet that tap, zeros where it lies in the padding.
  void unfold(const float *in, const Patch &patch, float *columns) const {
    const WindowAxis &d = window[0], &h = window[1], &w = window[2];
    int64_t width = patch.width();
    float *out = columns;
    for (int64_t c = 0; c < inPerGroup; ++c)
      for (int64_t kd = 0; kd < d.kernel; ++kd)
        for (int64_t kh = 0; kh < h.kernel; ++kh)
          for (int64_t kw = 0; kw < w.kernel; ++kw)
            for (int64_t row = patch.firstRow; row < patch.lastRow; ++row, out += width) {
              int64_t pd = d.position(row / h.out, kd);
              int64_t ph = h.position(row % h.out, kh);
              bool inside = pd >= 0 && pd < d.in && ph >= 0 && ph < h.in;
              int64_t first = std::clamp(w.firstInside(kw), patch.firstColumn, patch.lastColumn);
              int64_t last = std::clamp(w.lastInside(kw), first, patch.lastColumn);
              if (!inside || first == last) {
                std::fill(out, out + width, 0.0f);
                continue;
              }
              const float *line = in + ((c * d.in + pd) * h.in + ph) * w.in + w.position(first, kw);
              float *target = out + (first - patch.firstColumn);
              std::fill(out, target, 0.0f);
              if (w.stride == 1)
                std::memcpy(target, line, static_cast<size_t>(last - first) * sizeof(float));
              else
                for (int64_t i = 0; i < last - first; ++i)
                  target[i] = line[i * w.stride];
              std::fill(target + (last - first), out + width, 0.0f);
            }
  }

  /// Outputs that are computed together: whole rows while they fit into
  /// scratch memory, parts of a row otherwise.
  struct Tile {
    int64_t rows, columns;
  };
  Tile tile() const {
    int64_t fits = std::max<int64_t>(1, kScratchElements / depth());
    int64_t width = window[2].out;
    return {std::clamp<int64_t>(fits / width, 1, window[0].out * window[1].out), std::min(width, fits)};
  }

  Cost cost() const {
    int64_t planes = batch * groups * outPerGroup;
    int64_t products = Cost::products({planes, outputs(window), depth()});
    if (isDepthwise())
      return {product({planes, taps(window), visitsOfTap(window)}), 0};
    if (isPointwise())
      return {products, 0};
    int64_t unfolded = product({batch, groups, depth(), visitsOfTap(window)});
    return {saturatingSum(products, unfolded), depth() * tile().rows * tile().columns};
  }

  void general(KernelContext &context, const float *in, const float *weight, float *out) const {
    int64_t rows = window[0].out * window[1].out;
    int64_t width = window[2].out;
    auto [rowStep, columnStep] = tile();
    float *columns = context.scratchFloats(depth() * rowStep * columnStep);
    for (int64_t row = 0; row < rows; row += rowStep)
      for (int64_t column = 0; column < width; column += columnStep) {
        Patch patch{row, std::min(rows, row + rowStep), column, std::min(width, column + columnStep)};
        unfold(in, patch, columns);
        gemm(outPerGroup, patch.size(), depth(), {weight, depth()}, {columns, patch.size()}, out + row * width + column,
             outputs(window));
      }
  }

  void depthwise(const float *in, const float *weight, float *out) const {
    const WindowAxis &d = window[0], &h = window[1], &w = window[2];
    std::fill(out, out + outPerGroup * outputs(window), 0.0f);
    for (int64_t o = 0; o < outPerGroup; ++o, out += outputs(window))
      for (int64_t kd = 0; kd < d.kernel; ++kd)
        for (int64_t kh = 0; kh < h.kernel; ++kh)
          for (int64_t kw = 0; kw < w.kernel; ++kw) {
            float factor = *weight++;
            int64_t first = w.firstInside(kw), last = w.lastInside(kw);
            for (int64_t od = d.firstInside(kd); od < d.lastInside(kd); ++od)
              for (int64_t oh = h.firstInside(kh); oh < h.lastInside(kh); ++oh) {
                const float *line =
                    in + (d.position(od, kd) * h.in + h.position(oh, kh)) * w.in + w.position(first, kw);
                float *target = out + (od * h.out + oh) * w.out + first;
                for (int64_t i = 0; i < last - first; ++i)
                  target[i] += factor * line[i * w.stride];
              }
          }
  }

  void run(KernelContext &context, const float *in, const float *weight, float *out) const {
    int64_t weights = outPerGroup * depth();
    for (int64_t n = 0; n < batch; ++n)
      for (int64_t g = 0; g < groups; ++g) {
        const float *x = in + (n * groups + g) * inPerGroup * positions(window);
        float *y = out + (n * groups + g) * outPerGroup * outputs(window);
        const float *w = weight + g * weights;
        if (isDepthwise())
          depthwise(x, w, y);
        else if (isPointwise())
          gemm(outPerGroup, outputs(window), inPerGroup, {w, inPerGroup}, {x, positions(window)}, y, outputs(window));
        else
          general(context, x, w, y);
      }
  }
};

absl::StatusOr<PreparedOp> prepareConv(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  Operand weight = args.input("weight", kFloat);
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
  args.require(in[1] % groups == 0 && w[0] % groups == 0, in[1], " input and ", w[0],
               " output channels do not divide into ", groups, " groups");
  args.require(w[1] * groups == in[1], "'weight' is ", weight.type.str(), ": ", w[1], " channels in each of ", groups,
               " groups, but 'x' (", x.type.str(), ") has ", in[1], " channels");
  if (bias.present())
    args.require(bias.type.shape == Shape{w[0]}, "'bias' is ", bias.type.str(), "; it needs one element for each of ",
                 w[0], " output channels");
  if (args.opset() < 17)
    args.require(weight.type.element == x.type.element, "'weight' is ", weight.type.str(), " and 'x' is ", x.type.str(),
                 "; before ios17 both need the same element type");
  if (!args.ok())
    return args.status();
  Window window = readWindow(args, in, Shape(w.begin() + 2, w.end()),
                             /*dilates=*/true, WindowOptions());
  if (args.ok() && !weight.constant)
    for (const WindowAxis &axis : window)
      args.require(axis.dilation == 1, "a weight computed at run time allows no dilation");
  if (!args.ok())
    return args.status();

  TensorType type{x.type.element, windowResult(in, w[0], window)};
  if (!args.fits(type))
    return args.status();
  ConvPlan plan{window, in[0], groups, w[1], w[0] / groups};
  Cost cost = plan.cost();
  int64_t channels = w[0];
  return oneResult(type, kernel([=](KernelContext &context) {
                     float *out = context.outFloats();
                     plan.run(context, context.floats(x), context.floats(weight), out);
                     int64_t plane = outputs(plan.window);
                     // A single product per output does not pass the
                     // accumulator.
                     if (plan.depth() > 1)
                       leaveAccumulator(context.numerics, out, plan.batch * channels * plane);
                     if (bias.present())
                       addBias(out, context.floats(bias), plan.batch, channels, plane);
                   }))
      .costing(cost.work, cost.scratch);
}

constexpr OpEntry kOps[] = {{"conv", 15, prepareConv}};

} // namespace

absl::Span<const OpEntry> convOps() { return kOps; }

} // namespace ane::rt::emulator
