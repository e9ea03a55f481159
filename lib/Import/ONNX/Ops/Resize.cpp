//===- Resize.cpp - ONNX Resize and Upsample ------------------------------===//
//
// Sampling positions are known here, so every coordinate mode is exact: nearest neighbours are repeated or gathered,
// interpolation is a product with a matrix per axis (which is also how the engine does the modes that it lacks,
// ane-op-chip-matrix.md Q35).
//
//===----------------------------------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include "ane/Support/Saturate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

namespace {
struct Modes {
  std::string mode = "nearest", coordinates = "asymmetric", nearest = "floor";
  double cubicA = -0.75;
  bool excludeOutside = false, antialias = false;
  /// Positions as ONNX Runtime rounds them, which is seen where what they give is cut off.
  bool inSingle = false;
  double extrapolation = 0;
  bool crops() const { return coordinates == "tf_crop_and_resize"; }
  /// How much wider the filter gets, as a factor on distances, and how far it reaches.
  double narrow(double scale) const { return antialias ? std::min(scale, 1.0) : 1.0; }
  double reach(double scale) const { return (mode == "linear" ? 1 : 2) / narrow(scale); }
};

/// One axis: `output` positions over `input` elements, `scale` apart; of a crop, over the part from `first` to `last`.
struct Axis {
  int64_t index, input, output;
  double scale, first = 0, last = 1;
};
} // namespace

/// Where output position `i` lies between the input's elements, computed in `Real`.
template <typename Real>
static double positionIn(const Axis &axis, const Modes &modes, int64_t i) {
  Real scale = axis.scale, halfPixel = (Real(i) + Real(0.5)) / scale - Real(0.5);
  if (modes.crops()) {
    Real first = axis.first, last = axis.last, end = Real(axis.input - 1);
    if (axis.output == 1)
      return Real(0.5) * (first + last) * end;
    return first * end + Real(i) * (last - first) * end / Real(axis.output - 1);
  }
  if (modes.coordinates == "tf_half_pixel_for_nn")
    return (Real(i) + Real(0.5)) / scale;
  if (modes.coordinates == "asymmetric")
    return Real(i) / scale;
  // The resized length is not rounded to the output's size (ONNX's node tests; ONNX Runtime differs here).
  Real resized = Real(axis.input) * scale;
  if (modes.coordinates == "align_corners")
    return resized == 1 ? 0 : Real(i) * Real(axis.input - 1) / (resized - 1);
  if (modes.coordinates == "pytorch_half_pixel")
    return axis.output == 1 ? 0 : halfPixel;
  if (modes.coordinates == "half_pixel_symmetric") {
    Real adjustment = Real(axis.output) / resized;
    return Real(axis.input) / 2 * (1 - adjustment) + halfPixel;
  }
  return halfPixel;
}

static double position(const Axis &axis, const Modes &modes, int64_t i) {
  return modes.inSingle ? positionIn<float>(axis, modes, i) : positionIn<double>(axis, modes, i);
}

static SmallVector<int64_t> nearestIndices(const Axis &axis, const Modes &modes) {
  SmallVector<int64_t> indices;
  for (int64_t i = 0; i < axis.output; ++i) {
    double x = position(axis, modes, i), rounded;
    if (modes.nearest == "floor")
      rounded = std::floor(x);
    else if (modes.nearest == "ceil")
      rounded = std::ceil(x);
    else if (modes.nearest == "round_prefer_ceil")
      rounded = std::floor(x + 0.5);
    else
      rounded = std::ceil(x - 0.5);
    indices.push_back(std::clamp<int64_t>(saturatingInt(rounded), 0, axis.input - 1));
  }
  return indices;
}

/// The weights of one output position: pairs of input element and factor, beyond the border included. With antialias
/// the filter is as wide as the elements that an output position stands for.
static SmallVector<std::pair<int64_t, double>> weights(double x, double scale, const Modes &modes) {
  bool linear = modes.mode == "linear";
  double a = modes.cubicA, narrow = modes.narrow(scale), reach = modes.reach(scale);
  auto filter = [&](double d) {
    d = std::abs(d);
    if (linear)
      return std::max(1 - d, 0.0);
    if (d <= 1)
      return ((a + 2) * d - (a + 3)) * d * d + 1;
    return d < 2 ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a : 0.0;
  };
  SmallVector<std::pair<int64_t, double>> taps;
  double sum = 0;
  for (int64_t j = int64_t(std::ceil(x - reach)); double(j) <= x + reach; ++j) {
    taps.push_back({j, filter((double(j) - x) * narrow)});
    sum += taps.back().second;
  }
  if (narrow < 1)
    for (auto &[j, weight] : taps)
      weight /= sum;
  return taps;
}

/// The matrix [output, input] that interpolates along `axis`.
static DenseElementsAttr interpolation(const Axis &axis, const Modes &modes, FloatType element) {
  std::vector<double> matrix(axis.output * axis.input, 0.0);
  for (int64_t i = 0; i < axis.output; ++i) {
    double sum = 0;
    auto inside = [&](int64_t j) { return !modes.excludeOutside || (j >= 0 && j < axis.input); };
    SmallVector<std::pair<int64_t, double>> taps = weights(position(axis, modes, i), axis.scale, modes);
    for (auto [j, weight] : taps)
      sum += inside(j) ? weight : 0;
    for (auto [j, weight] : taps)
      if (inside(j))
        matrix[i * axis.input + std::clamp<int64_t>(j, 0, axis.input - 1)] += weight / (modes.excludeOutside ? sum : 1);
  }
  SmallVector<APFloat> values;
  for (double value : matrix) {
    APFloat rounded(value);
    bool inexact;
    rounded.convert(element.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    values.push_back(rounded);
  }
  return DenseElementsAttr::get(RankedTensorType::get({axis.output, axis.input}, element), values);
}

static Value interpolate(NodeBinder &n, Value x, const Axis &axis, const Modes &modes) {
  constexpr int64_t maxWeights = int64_t(1) << 26;
  if (2 * modes.reach(axis.scale) * double(axis.output) > double(maxWeights)) {
    n.error("with antialias, scale " + llvm::Twine(std::to_string(axis.scale)) + " of axis " + Twine(axis.index) +
            " needs more than " + Twine(maxWeights) + " weights");
    return nullptr;
  }
  if (!n.constantType({axis.output, axis.input}, n.elementType(x)))
    return nullptr;
  Value matrix = n.constant(interpolation(axis, modes, llvm::cast<FloatType>(n.elementType(x))));
  int64_t rank = n.rank(x);
  if (rank >= 2 && axis.index == rank - 2)
    return n.emit<MatmulOp>({matrix, x});
  // The axis goes last, or into a matrix of one row.
  SmallVector<int64_t> perm, shape(n.shape(x));
  for (int64_t i = 0; i < rank; ++i)
    perm.push_back(i);
  std::swap(perm[axis.index], perm.back());
  Value last = n.transpose(x, perm);
  if (rank == 1)
    last = n.reshape(last, {1, axis.input});
  Value product = n.emit<MatmulOp>({last, matrix}, {{"transpose_y", true}});
  return rank == 1 ? n.reshape(product, {axis.output}) : n.transpose(product, perm);
}

/// Repeats the elements of H and W where that is all that nearest neighbours do.
static Value repeat(NodeBinder &n, Value x, ArrayRef<Axis> axes, const Modes &modes) {
  int64_t factors[2] = {1, 1};
  if (n.rank(x) != 4 || !n.isFloat(x))
    return nullptr;
  for (const Axis &axis : axes) {
    if (axis.index < 2 || axis.output % axis.input != 0)
      return nullptr;
    int64_t factor = factors[axis.index - 2] = axis.output / axis.input;
    for (auto [i, index] : llvm::enumerate(nearestIndices(axis, modes)))
      if (index != int64_t(i) / factor)
        return nullptr;
  }
  return n.emit<UpsampleNearestNeighborOp>({x},
                                           {{"scale_factor_height", factors[0]}, {"scale_factor_width", factors[1]}});
}

/// `value` where a position lies outside of the input.
static Value extrapolate(NodeBinder &n, Value x, ArrayRef<Axis> axes, const Modes &modes) {
  for (const Axis &axis : axes) {
    SmallVector<int64_t> shape(n ? n.rank(x) : 0, 1);
    if (!n)
      return x;
    shape[axis.index] = axis.output;
    Expr outside = table(n, shape, n.builder.getI1Type(), [&](ArrayRef<int64_t> at) {
      double where = position(axis, modes, at[axis.index]);
      return where < 0 || where > double(axis.input - 1);
    });
    x = select(outside, modes.extrapolation, Expr(n, x));
  }
  return x;
}

/// Integers as ONNX Runtime has them: cut off towards zero, or with antialias rounded axis by axis from the last one
/// on. f64 holds them, and stays on the CPU.
static Value interpolateIntegers(NodeBinder &n, Value x, ArrayRef<Axis> axes, Modes modes) {
  auto element = llvm::cast<IntegerType>(n.elementType(x));
  unsigned width = element.getWidth();
  if (width > 32) {
    n.error("interpolation of integers of 64 bits is not supported: f64, in which it is computed, can't hold them; "
            "cast to 32 bits before");
    return nullptr;
  }
  double high = std::ldexp(1.0, element.isUnsigned() || width == 1 ? width : width - 1) - 1;
  double low = element.isUnsigned() || width == 1 ? 0 : -high - 1;
  modes.inSingle = !modes.antialias;
  auto toIntegers = [&](Expr value) {
    if (modes.antialias)
      value = value + select(value < 0.0, -0.5, value * 0.0 + 0.5);
    else // a sum of thirds is what it should be, not a bit less
      value = value.cast(n.builder.getF32Type()).cast(n.builder.getF64Type());
    return clamp(value, low, high).cast(element);
  };
  Expr value(n, x);
  for (const Axis &axis : llvm::reverse(axes)) {
    value = {n, n ? interpolate(n, value.cast(n.builder.getF64Type()), axis, modes) : Value()};
    if (modes.antialias)
      value = toIntegers(value);
  }
  return modes.antialias ? value : toIntegers(value);
}

static void sample(NodeBinder &n, Value x, ArrayRef<Axis> axes, const Modes &modes) {
  for (const Axis &axis : axes) {
    if (axis.input < 1 || axis.output < 1 || axis.output > 1 << 16)
      return n.error("axis " + Twine(axis.index) + " of size " + Twine(axis.input) + " can't be resized to " +
                     Twine(axis.output));
  }
  if (modes.mode == "nearest") {
    if (axes.empty())
      return n.result(0, x);
    if (Value repeated = repeat(n, x, axes, modes))
      return n.result(0, repeated);
    for (const Axis &axis : axes)
      x = n.emit<GatherOp>({x, n.intsConstant(nearestIndices(axis, modes))}, {{"axis", axis.index}});
    return n.result(0, modes.crops() ? extrapolate(n, x, axes, modes) : x);
  }
  if (!n.isFloat(x) && !axes.empty())
    x = interpolateIntegers(n, x, axes, modes);
  else
    for (const Axis &axis : axes)
      if (n)
        x = interpolate(n, x, axis, modes);
  n.result(0, modes.crops() ? extrapolate(n, x, axes, modes) : x);
}

/// The axes that change, from one factor per entry of `indices`.
static SmallVector<Axis> axesFromScales(NodeBinder &n, Value x, ArrayRef<double> scales, ArrayRef<int64_t> indices) {
  SmallVector<Axis> axes;
  if (scales.size() != indices.size())
    n.error("scales has " + Twine(scales.size()) + " entries for " + Twine(indices.size()) + " axes");
  if (!n)
    return axes;
  for (auto [scale, index] : llvm::zip(scales, indices)) {
    int64_t input = n.shape(x)[index];
    if (!(scale > 0 && scale < 1e6)) {
      n.error("the scale of axis " + Twine(index) + " is " + std::to_string(scale) +
              "; supported: above 0 and below 1e6");
      return axes;
    }
    axes.push_back({index, input, saturatingInt(std::floor(double(input) * scale)), scale});
  }
  return axes;
}

static SmallVector<int64_t> allAxes(NodeBinder &n, Value x) {
  SmallVector<int64_t> axes;
  for (int64_t i = 0; i < n.rank(x); ++i)
    axes.push_back(i);
  return axes;
}

static void upsample(NodeBinder &n) {
  Value x = n.input(0);
  Modes modes;
  modes.mode = n.stringAttr("mode", "nearest", {"nearest", "linear", "bilinear"});
  if (modes.mode == "bilinear") // Of opset 1.
    modes.mode = "linear";
  SmallVector<double> scales;
  if (n.since() < 7)
    scales = {1, 1, n.floatAttr("height_scale"), n.floatAttr("width_scale")};
  else
    scales = n.since() < 9 ? n.floatsAttr("scales").value_or(SmallVector<double>()) : n.floats(1, "scales");
  if (!n)
    return;
  for (double scale : scales)
    if (scale < 1)
      n.error("scales has the entry " + std::to_string(scale) + "; supported: 1 or more");
  SmallVector<Axis> axes = axesFromScales(n, x, scales, allAxes(n, x));
  llvm::erase_if(axes, [](const Axis &axis) { return axis.scale == 1; });
  if (n)
    sample(n, x, axes, modes);
}

static Modes readModes(NodeBinder &n) {
  Modes modes;
  SmallVector<StringRef> coordinates{"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"};
  coordinates.push_back("tf_crop_and_resize");
  if (n.since() < 13)
    coordinates.push_back("tf_half_pixel_for_nn");
  if (n.since() >= 19)
    coordinates.push_back("half_pixel_symmetric");
  modes.mode = n.stringAttr("mode", "nearest", {"nearest", "linear", "cubic"});
  modes.coordinates = n.stringAttr("coordinate_transformation_mode", "half_pixel", coordinates);
  modes.nearest =
      n.stringAttr("nearest_mode", "round_prefer_floor", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  modes.cubicA = n.floatAttr("cubic_coeff_a", -0.75);
  modes.excludeOutside = n.boolAttr("exclude_outside", false);
  modes.extrapolation = n.floatAttr("extrapolation_value", 0.0);
  if (n.since() >= 18)
    modes.antialias = n.boolAttr("antialias", false);
  return modes;
}

/// The axes with `sizes`. `policy`: whether one scale serves all of them, the smallest or the largest.
static SmallVector<Axis> axesFromSizes(NodeBinder &n, Value x, ArrayRef<int64_t> sizes, ArrayRef<int64_t> indices,
                                       StringRef policy) {
  SmallVector<Axis> axes;
  if (sizes.size() != indices.size())
    n.error("sizes has " + Twine(sizes.size()) + " entries for " + Twine(indices.size()) + " axes");
  if (!n)
    return axes;
  for (auto [size, index] : llvm::zip(sizes, indices)) {
    int64_t input = n.shape(x)[index];
    axes.push_back({index, input, size, double(size) / double(std::max<int64_t>(input, 1))});
  }
  if (policy == "stretch" || axes.empty())
    return axes;
  auto order = [](const Axis &a, const Axis &b) { return a.scale < b.scale; };
  double scale = (policy == "not_larger" ? llvm::min_element(axes, order) : llvm::max_element(axes, order))->scale;
  for (Axis &axis : axes) {
    axis.scale = scale;
    axis.output = saturatingInt(std::floor(scale * double(axis.input) + 0.5));
  }
  return axes;
}

/// The part of each axis that input roi, all begins and then all ends, cuts out.
static void readCrops(NodeBinder &n, MutableArrayRef<Axis> axes, bool fromScales) {
  SmallVector<double> roi = n.floats(1, "roi");
  if (roi.size() != 2 * axes.size())
    n.error("roi has " + Twine(roi.size()) + " entries for " + Twine(axes.size()) + " axes");
  if (!n)
    return;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    axis.first = roi[i];
    axis.last = roi[axes.size() + i];
    constexpr double limit = 1 << 16;
    if (!(std::abs(axis.first) <= limit && std::abs(axis.last) <= limit))
      return n.error("roi cuts axis " + Twine(axis.index) + " from " + std::to_string(axis.first) + " to " +
                     std::to_string(axis.last) + "; supported: between -" + Twine(int64_t(limit)) + " and " +
                     Twine(int64_t(limit)));
    if (fromScales)
      axis.output = saturatingInt(std::floor(double(axis.input) * (axis.last - axis.first) * axis.scale));
  }
}

static void resize(NodeBinder &n) {
  if (n.since() < 11)
    return upsample(n);
  Value x = n.input(0);
  (void)n.optionalInput(1);
  Modes modes = readModes(n);
  std::string policy = "stretch";
  if (n.since() >= 18)
    policy = n.stringAttr("keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"});
  bool hasScales = n.hasInput(2) && n.shape(n.input(2)) != ArrayRef<int64_t>{0}, hasSizes = n.hasInput(3);
  if (hasScales == hasSizes)
    n.error("needs either scales or sizes");
  if (!n)
    return;
  SmallVector<int64_t> indices = allAxes(n, x);
  if (n.since() >= 18)
    if (auto given = n.intsAttr("axes"))
      indices = n.axes(*given, n.rank(x));
  (void)n.optionalInput(2);
  SmallVector<Axis> axes;
  if (n && hasScales)
    axes = axesFromScales(n, x, n.floats(2, "scales"), indices);
  else if (n)
    axes = axesFromSizes(n, x, n.ints(3, "sizes"), indices, policy);
  if (modes.crops())
    readCrops(n, axes, hasScales);
  else
    llvm::erase_if(axes, [](const Axis &axis) { return axis.scale == 1 && axis.input == axis.output; });
  if (n)
    sample(n, x, axes, modes);
}

void mlir::ane::onnx_import::registerResizeOps(Registry &registry) {
  registry.onOp("", "Resize", {10, 11, 13, 18, 19}, resize);
  registry.onOp("", "Upsample", {1, 7, 9}, upsample);
}
