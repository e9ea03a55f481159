//===- resize.cpp - Resizing along the last axes --------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/math.h"
#include "runtime/device/emulator/ops/sampling.h"

#include <algorithm>
#include <cmath>

namespace ane::rt::emulator {
namespace {

/// One output position: two elements of the axis and the weight of the second.
struct Tap {
  int64_t low, high;
  float weight;
};

std::vector<Tap> linearTaps(Sampling sampling, int64_t in, int64_t out) {
  std::vector<Tap> taps;
  taps.reserve(static_cast<size_t>(out));
  for (double point : gridPoints(sampling, static_cast<double>(in), out)) {
    double clamped = std::clamp(point, 0.0, static_cast<double>(in - 1));
    double low = std::floor(clamped);
    int64_t index = static_cast<int64_t>(low);
    taps.push_back({index, std::min(index + 1, in - 1), static_cast<float>(clamped - low)});
  }
  return taps;
}

/// The element that covers the point; for the default grid that is the one
/// below it, for the others the nearest.
std::vector<Tap> nearestTaps(Sampling sampling, int64_t in, int64_t out) {
  std::vector<Tap> taps;
  taps.reserve(static_cast<size_t>(out));
  double shift = sampling == Sampling::Default ? 0.0 : 0.5;
  for (double point : gridPoints(sampling, static_cast<double>(in), out)) {
    int64_t index = std::clamp<int64_t>(static_cast<int64_t>(std::floor(point + shift)), 0, in - 1);
    taps.push_back({index, index, 0.0f});
  }
  return taps;
}

/// out[outer, taps, inner] from in[outer, size, inner].
void interpolate(const float *in, int64_t outer, int64_t size, int64_t inner, const std::vector<Tap> &taps,
                 float *out) {
  for (int64_t o = 0; o < outer; ++o, in += size * inner)
    for (const Tap &tap : taps) {
      const float *a = in + tap.low * inner, *b = in + tap.high * inner;
      // A nearest element is copied, so that infinities survive.
      if (tap.weight == 0.0f)
        std::copy(a, a + inner, out);
      else
        for (int64_t i = 0; i < inner; ++i)
          out[i] = a[i] + (b[i] - a[i]) * tap.weight;
      out += inner;
    }
}

/// Axis after axis, all in fp32.
struct Resizer {
  Sampling sampling;
  bool nearest = false;
  Shape shape;
  size_t first = 0; ///< first resized axis
  Shape sizes;      ///< of the resized axes

  Shape result(size_t axes) const {
    Shape resized = shape;
    std::copy_n(sizes.begin(), axes, resized.begin() + static_cast<int64_t>(first));
    return resized;
  }
  Shape result() const { return result(sizes.size()); }

  /// What lies between two axes, and the taps of the longest; `more` is scratch memory on top.
  Cost cost(int64_t more = 0) const {
    Cost total{0, more};
    for (size_t axes = 1; axes < sizes.size(); ++axes)
      total.scratch = saturatingSum(total.scratch, product(result(axes)));
    total.work = total.scratch;
    constexpr int64_t tap = (sizeof(Tap) + sizeof(double)) / sizeof(float);
    if (!sizes.empty())
      total.scratch = saturatingSum(total.scratch, product({*std::max_element(sizes.begin(), sizes.end()), tap}));
    return total;
  }

  void run(KernelContext &context, const float *in, float *out) const {
    const float *source = in;
    for (size_t i = 0; i < sizes.size(); ++i) {
      size_t axis = first + i;
      Shape target = result(i + 1);
      int64_t outer = product(target, 0, axis);
      int64_t inner = product(target, axis + 1, target.size());
      float *to = i + 1 == sizes.size() ? out : context.scratchFloats(product(target));
      std::vector<Tap> taps = (nearest ? nearestTaps : linearTaps)(sampling, shape[axis], sizes[i]);
      interpolate(source, outer, shape[axis], inner, taps, to);
      source = to;
    }
    if (sizes.empty())
      std::copy(in, in + product(shape), out);
  }
};

bool requireSpace(OpArgs &args, const Operand &x) {
  return args.require(x.type.rank() >= 3, "'x' is ", x.type.str(), "; its rank must be at least 3");
}

/// The last two axes.
absl::StatusOr<PreparedOp> resizePlane(OpArgs &args, const Operand &x, int64_t height, int64_t width, Sampling sampling,
                                       bool nearest) {
  if (!requireSpace(args, x))
    return args.status();
  args.require(height > 0 && width > 0, "the result would have height ", height, " and width ", width);
  Resizer resizer{sampling, nearest, x.type.shape, x.type.shape.size() - 2, {height, width}};
  TensorType type{x.type.element, resizer.result()};
  if (!args.fits(type))
    return args.status();
  Cost cost = resizer.cost();
  return oneResult(type, kernel([=](KernelContext &context) {
                     resizer.run(context, context.floats(x), context.outFloats());
                   }),
                   /*exact=*/nearest)
      .costing(cost.work, cost.scratch);
}

int64_t scaled(const Operand &x, size_t fromEnd, double factor) {
  return saturated<int64_t>(std::floor(factor * static_cast<double>(x.type.shape[x.type.shape.size() - fromEnd])));
}

absl::StatusOr<PreparedOp> prepareUpsampleNearest(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  double byHeight = args.real("scale_factor_height", 1.0);
  double byWidth = args.real("scale_factor_width", 1.0);
  if (!args.ok() || !requireSpace(args, x))
    return args.status();
  return resizePlane(args, x, scaled(x, 2, byHeight), scaled(x, 1, byWidth), Sampling::Default, /*nearest=*/true);
}

absl::StatusOr<PreparedOp> prepareUpsampleBilinear(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  double byHeight = args.real("scale_factor_height", 1.0);
  double byWidth = args.real("scale_factor_width", 1.0);
  bool alignCorners = args.boolean("align_corners", true);
  bool halfPixel = !alignCorners;
  if (args.opset() >= 16)
    halfPixel = args.boolean("half_pixel_centers", halfPixel);
  if (!args.ok() || !requireSpace(args, x))
    return args.status();
  if (!args.require(!alignCorners || !halfPixel, "'align_corners' and 'half_pixel_centers' exclude each other"))
    return args.status();
  Sampling sampling = alignCorners ? Sampling::StrictAlign : halfPixel ? Sampling::Unalign : Sampling::Default;
  return resizePlane(args, x, scaled(x, 2, byHeight), scaled(x, 1, byWidth), sampling, /*nearest=*/false);
}

absl::StatusOr<PreparedOp> prepareResizeNearest(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  int64_t height = args.integer("target_size_height");
  int64_t width = args.integer("target_size_width");
  if (!args.ok())
    return args.status();
  return resizePlane(args, x, height, width, Sampling::Default, /*nearest=*/true);
}

absl::StatusOr<PreparedOp> prepareResizeBilinear(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  int64_t height = args.integer("target_size_height", 1);
  int64_t width = args.integer("target_size_width", 1);
  Sampling sampling = readSampling(args);
  if (!args.ok())
    return args.status();
  return resizePlane(args, x, height, width, sampling, /*nearest=*/false);
}

/// The last `resized_dims` axes take their sizes from the end of `shape`; 0
/// keeps the axis of x.
absl::StatusOr<PreparedOp> prepareResize(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  std::vector<int64_t> shape = args.integers("shape");
  int64_t dims = args.integer("resized_dims");
  std::string mode = args.string("interpolation_mode", "LINEAR");
  Sampling sampling = readSampling(args);
  if (!args.ok())
    return args.status();
  if (mode != "LINEAR" && mode != "NEAREST_NEIGHBOR")
    args.argumentError("interpolation_mode", "is \"", mode, "\"; it must be LINEAR or NEAREST_NEIGHBOR");
  int64_t given = static_cast<int64_t>(shape.size());
  args.require(dims >= 0 && dims <= given && given <= x.type.rank(), "argument 'resized_dims' is ", dims,
               ", 'shape' has ", given, " elements and 'x' rank ", x.type.rank(), "; each must be at most the next");
  if (!args.ok())
    return args.status();
  Resizer resizer{sampling, mode != "LINEAR", x.type.shape, static_cast<size_t>(x.type.rank() - dims), {}};
  for (int64_t i = 0; i < dims; ++i) {
    int64_t in = resizer.shape[resizer.first + static_cast<size_t>(i)];
    int64_t out = shape[static_cast<size_t>(given - dims + i)];
    resizer.sizes.push_back(out == 0 ? in : out);
    args.require(out >= 0, "argument 'shape' contains ", out);
  }
  TensorType type{x.type.element, resizer.result()};
  if (!args.fits(type))
    return args.status();
  bool floats = heldAsFloat(x.type.element);
  Cost cost = resizer.cost(floats ? 0 : x.type.size() + type.size());
  return oneResult(type, kernel([=](KernelContext &context) {
                     if (floats)
                       return resizer.run(context, context.floats(x), context.outFloats());
                     // Integers are interpolated as fp32 and rounded.
                     float *in = context.scratchFloats(x.type.size());
                     float *out = context.scratchFloats(type.size());
                     const int32_t *values = context.ints(x);
                     std::copy(values, values + x.type.size(), in);
                     resizer.run(context, in, out);
                     for (int64_t i = 0; i < type.size(); ++i)
                       context.outInts()[i] = saturated<int32_t>(std::nearbyint(out[i]));
                   }))
      .costing(cost.work, cost.scratch);
}

constexpr OpEntry kOps[] = {
    {"upsample_nearest_neighbor", 15, prepareUpsampleNearest},
    {"upsample_bilinear", 15, prepareUpsampleBilinear},
    {"resize_nearest_neighbor", 15, prepareResizeNearest},
    {"resize_bilinear", 15, prepareResizeBilinear},
    {"resize", 17, prepareResize},
};

} // namespace

absl::Span<const OpEntry> resizeOps() { return kOps; }

} // namespace ane::rt::emulator
