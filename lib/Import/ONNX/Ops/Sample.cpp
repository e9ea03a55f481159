//===- Sample.cpp - ONNX sampling at computed positions -------------------===//
//
// Each position reads a few elements ("taps") per spatial axis, which are gathered and added up with their weights.
// Positions are f64, which stays on the CPU: in fp16 a position beyond 1,024 is wrong by half an element.
//
//===----------------------------------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include "Window.h"
#include "ane/Support/Saturate.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

namespace {
/// One of the elements along an axis that a position reads: its index, and its share of the result.
struct Tap {
  Expr index, weight;
};
using Taps = SmallVector<Tap, 4>;

/// Calls `body` with every combination of one tap per axis: the index into the flattened axes, and the weight.
void combine(ArrayRef<Taps> axes, ArrayRef<int64_t> sizes, std::optional<Tap> chosen,
             function_ref<void(Expr index, Expr weight)> body) {
  if (axes.empty())
    return body(chosen->index, chosen->weight);
  for (const Tap &tap : axes.front()) {
    Tap next = tap;
    if (chosen)
      next = {chosen->index * double(sizes.front()) + tap.index, chosen->weight * tap.weight};
    combine(axes.drop_front(), sizes.drop_front(), next, body);
  }
}
} // namespace

static Type positionType(NodeBinder &n) { return n.builder.getF64Type(); }
static Type indexType(NodeBinder &n) { return n.builder.getI32Type(); }

/// x [B, C, D...] at the positions that `taps` [B, P] describe, as [B, C, P].
static Expr sampled(Expr x, ArrayRef<Taps> taps) {
  NodeBinder &n = x.binder();
  if (!n)
    return x;
  SmallVector<int64_t> sizes(x.shape().drop_front(2));
  Expr rows = x.reshape({x.shape()[0], x.shape()[1], ShapedType::getNumElements(sizes)}).transpose({0, 2, 1});
  std::optional<Expr> sum;
  combine(taps, sizes, std::nullopt, [&](Expr index, Expr weight) {
    Expr part = rows.make<GatherOp>({index.cast(indexType(n))}, {{"axis", 1}, {"batch_dims", 1}});
    part = part * weight.cast(x.element()).expand(2);
    sum = sum ? *sum + part : part;
  });
  return sum->transpose({0, 2, 1});
}

//===-- grids ---------------------------------------------------------------===//

/// Positions beyond [low, high] mirrored at the ends.
static Expr reflected(Expr x, double low, double high) {
  double range = high - low;
  if (range <= 0)
    return x * 0.0 + low;
  Expr distance = (x - low) % (2 * range);
  return low + minimum(distance, 2 * range - distance);
}

/// The taps of `position` along an axis of `size` elements.
static Taps tapsOf(Expr position, int64_t size, StringRef mode, StringRef padding, bool alignCorners) {
  double low = alignCorners ? 0 : -0.5, last = double(size - 1), high = alignCorners ? last : last + 0.5;
  if (mode == "nearest")
    position = round(position);
  // A cubic's taps are brought back one by one: its weights are those of where the position was.
  if (padding == "border" && mode != "cubic")
    position = clamp(position, 0, last);
  else if (padding == "reflection" && mode != "cubic")
    position = reflected(position, low, high);
  SmallVector<std::pair<double, Expr>> shares;
  Expr base = floor(position), t = position - base;
  if (mode == "nearest") {
    shares.push_back({0, position * 0.0 + 1.0});
    base = position;
  } else if (mode == "linear") {
    shares.append({{0, 1.0 - t}, {1, t}});
  } else {
    constexpr double a = -0.75;
    auto inner = [](Expr d) { return ((a + 2) * d - (a + 3)) * d * d + 1.0; };
    auto outer = [](Expr d) { return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a; };
    shares.append({{-1, outer(t + 1.0)}, {0, inner(t)}, {1, inner(1.0 - t)}, {2, outer(2.0 - t)}});
  }
  Taps taps;
  for (auto [offset, weight] : shares) {
    Expr at = offset == 0 ? base : base + offset;
    if (padding == "reflection")
      at = reflected(at, low, high);
    else if (padding == "zeros")
      weight = select((at >= 0.0) & (at <= last), weight, 0.0);
    // Towards zero, as what is mirrored may lie between two elements.
    taps.push_back({clamp(at, 0, last).cast(indexType(at.binder())), weight});
  }
  return taps;
}

static void gridSample(NodeBinder &n) {
  Expr x(n, n.input(0)), grid(n, n.input(1));
  bool old = n.since() < 20;
  std::string mode = old ? n.stringAttr("mode", "bilinear", {"bilinear", "nearest", "bicubic"})
                         : n.stringAttr("mode", "linear", {"linear", "nearest", "cubic"});
  std::string padding = n.stringAttr("padding_mode", "zeros", {"zeros", "border", "reflection"});
  bool alignCorners = n.boolAttr("align_corners", false);
  if (!n)
    return;
  if (StringRef(mode).starts_with("bi"))
    mode = mode.substr(2);
  int64_t axes = x.rank() - 2;
  if (axes < 1 || grid.rank() != x.rank() || grid.shape().back() != axes || grid.shape()[0] != x.shape()[0])
    return n.error("a grid of rank " + Twine(grid.rank()) + " does not fit an input of rank " + Twine(x.rank()));
  SmallVector<int64_t> shape{x.shape()[0], x.shape()[1]};
  llvm::append_range(shape, grid.shape().slice(1, axes));
  int64_t positions = ShapedType::getNumElements(ArrayRef(shape).drop_front(2));
  if (ShapedType::getNumElements(x.shape()) == 0 || positions == 0)
    return n.result(0, n.splat(RankedTensorType::get(shape, x.element()), 0));
  Expr points = grid.cast(positionType(n)).reshape({shape[0], positions, axes});
  SmallVector<Taps> taps;
  for (int64_t i = 0; i < axes; ++i) {
    // The last coordinate belongs to the first axis.
    int64_t size = x.shape()[2 + i];
    Expr p = points.at(2, axes - 1 - i);
    p = alignCorners ? (p + 1.0) * (0.5 * double(size - 1)) : ((p + 1.0) * double(size) - 1.0) * 0.5;
    taps.push_back(tapsOf(p, size, mode, padding, alignCorners));
  }
  n.result(0, sampled(x, taps).reshape(shape));
}

/// The grid of positions that an affine map sends each output position to.
static void affineGrid(NodeBinder &n) {
  Expr theta(n, n.input(0));
  SmallVector<int64_t> size = n.ints(1, "size");
  bool alignCorners = n.boolAttr("align_corners", false);
  if (!n)
    return;
  int64_t axes = int64_t(size.size()) - 2;
  if ((axes != 2 && axes != 3) || theta.shape() != ArrayRef<int64_t>{size[0], axes, axes + 1})
    return n.error("theta does not fit a size of " + Twine(size.size()) + " entries");
  SmallVector<int64_t> shape(ArrayRef(size).drop_front(2)), result{size[0]};
  llvm::append_range(result, shape);
  result.push_back(axes);
  SmallVector<int64_t> tableShape(shape);
  tableShape.push_back(axes + 1);
  Expr base = table(n, tableShape, theta.element(), [&](ArrayRef<int64_t> at) {
    int64_t axis = axes - 1 - at.back();
    if (axis < 0)
      return 1.0;
    double i = double(at[axis]), count = double(shape[axis]);
    return alignCorners ? -1 + (count > 1 ? 2 * i / (count - 1) : 0) : (2 * i + 1) / count - 1;
  });
  Expr flat = base.reshape({ShapedType::getNumElements(shape), axes + 1});
  n.result(0, matmul(flat, theta.transpose({0, 2, 1})).reshape(result));
}

//===-- regions -------------------------------------------------------------===//

namespace {
struct RoiAlignment {
  int64_t height, width;
  double scale;
  bool halfPixel, isMax;
};
} // namespace

/// Linear taps at `position` [R, 1, ..]; nothing beyond one element outside.
static Taps roiTaps(Expr position, int64_t size) {
  Expr outside = (position < -1.0) | (position > double(size));
  Expr inside = clamp(position, 0, double(size - 1)), low = floor(inside), t = inside - low;
  auto share = [&](Expr weight) { return select(outside, 0.0, weight); };
  Type type = indexType(position.binder());
  return {{low.cast(type), share(1.0 - t)}, {minimum(low + 1.0, double(size - 1)).cast(type), share(t)}};
}

/// Regions [R, 4] of the images `batch` [R], each bin sampled at rows x columns points: [R, C, height, width].
static Expr alignRois(Expr x, Expr rois, Expr batch, const RoiAlignment &a, int64_t rows, int64_t columns) {
  NodeBinder &n = x.binder();
  int64_t count = rois.shape()[0], channels = x.shape()[1];
  SmallVector<int64_t> sizes(x.shape().drop_front(2));
  Expr flat = x.reshape({x.shape()[0], channels, ShapedType::getNumElements(sizes)}).transpose({0, 2, 1});
  flat = flat.reshape({x.shape()[0] * ShapedType::getNumElements(sizes), channels});
  Expr corners = rois.cast(positionType(n)) * a.scale - (a.halfPixel ? 0.5 : 0.0);
  auto tapsAlong = [&](int64_t first, int64_t bins, int64_t points, int64_t size, SmallVector<int64_t> shape) {
    Expr start = corners.slice(1, first, 1), extent = corners.slice(1, first + 2, 1) - start;
    if (!a.halfPixel)
      extent = maximum(extent, 1.0);
    Expr steps = table(n, {1, bins * points}, start.element(), [&](ArrayRef<int64_t> at) {
      return double(at[1] / points) + (double(at[1] % points) + 0.5) / double(points);
    });
    return roiTaps((start + extent / double(bins) * steps).reshape(shape), size);
  };
  SmallVector<Taps> taps{tapsAlong(1, a.height, rows, sizes[0], {count, a.height * rows, 1}),
                         tapsAlong(0, a.width, columns, sizes[1], {count, 1, a.width * columns})};
  Expr image = batch.cast(indexType(n)).reshape({count, 1, 1}) * double(ShapedType::getNumElements(sizes));
  std::optional<Expr> sum;
  combine(taps, sizes, std::nullopt, [&](Expr index, Expr weight) {
    Expr part = flat.make<GatherOp>({index + image}, {{"axis", 0}}) * weight.cast(x.element()).expand(3);
    sum = !sum ? part : a.isMax ? maximum(*sum, part) : *sum + part;
  });
  if (!n)
    return x;
  Expr bins = sum->reshape({count, a.height, rows, a.width, columns, channels});
  bins = a.isMax ? bins.reduce<ReduceMaxOp>({2, 4}, false) : bins.reduce<ReduceMeanOp>({2, 4}, false);
  return bins.transpose({0, 3, 1, 2});
}

/// The mean over as many points as a bin has elements, of which only the data know the number. Points lie more than
/// half an element apart, or there is one, so that at most four of them read an element: what each element contributes
/// to each bin is a matrix [R, bins, size] per axis, and the bins are a product with both.
static Expr adaptiveMean(Expr x, Expr rois, Expr batch, const RoiAlignment &a) {
  NodeBinder &n = x.binder();
  int64_t count = rois.shape()[0];
  Expr corners = rois.cast(positionType(n)) * a.scale - (a.halfPixel ? 0.5 : 0.0);
  auto sharesAlong = [&](int64_t corner, int64_t bins, int64_t size) {
    Type type = positionType(n);
    Expr start = corners.slice(1, corner, 1), extent = corners.slice(1, corner + 2, 1) - start;
    if (!a.halfPixel)
      extent = maximum(extent, 1.0);
    Expr bin = (extent / double(bins)).reshape({count, 1, 1}), points = bin.make<CeilOp>();
    Expr step = bin / maximum(points, 1.0);
    Expr begin = start.reshape({count, 1, 1}) + bin * iota(n, bins, type).reshape({1, bins, 1}) + step * 0.5;
    Expr element = iota(n, size, type).reshape({1, 1, size});
    // Where there is no step there is no point, whatever stands here.
    Expr first = maximum(floor((element - 1.0 - begin) / select(step > 0.0, step, 1.0)), 0.0);
    std::optional<Expr> sum;
    for (int i = 0; i < 5; ++i) {
      Expr point = first + double(i), position = begin + step * point;
      Expr inside = (point < points) & (position >= -1.0) & (position <= double(size));
      Expr share = maximum(1.0 - abs(clamp(position, 0, double(size - 1)) - element), 0.0);
      share = select(inside, share, 0.0);
      sum = sum ? *sum + share : share;
    }
    return (*sum / maximum(points, 1.0)).cast(x.element());
  };
  Expr rows = sharesAlong(1, a.height, x.shape()[2]), columns = sharesAlong(0, a.width, x.shape()[3]);
  Expr images = x.shape()[0] == 1 ? x : x.make<GatherOp>({batch.cast(indexType(n))}, {{"axis", 0}});
  return matmul(rows.expand(1), matmul(images, columns.transpose({0, 2, 1}).expand(1)));
}

static void roiAlign(NodeBinder &n) {
  Expr x(n, n.input(0)), rois(n, n.input(1)), batch(n, n.input(2));
  RoiAlignment a;
  a.isMax = n.stringAttr("mode", "avg", {"avg", "max"}) == "max";
  a.height = n.intAttr("output_height", 1);
  a.width = n.intAttr("output_width", 1);
  a.scale = n.floatAttr("spatial_scale", 1.0);
  a.halfPixel = n.since() >= 16 && n.stringAttr("coordinate_transformation_mode", "half_pixel",
                                                {"half_pixel", "output_half_pixel"}) == "half_pixel";
  int64_t samples = n.intAttr("sampling_ratio", 0);
  if (!n)
    return;
  if (x.rank() != 4 || rois.rank() != 2 || rois.shape()[1] != 4 || batch.rank() != 1 || a.height < 1 || a.width < 1 ||
      samples < 0 || samples > 1024)
    return n.error("needs X [N, C, H, W], rois [R, 4], batch_indices [R] and positive sizes");
  if (samples > 0)
    return n.result(0, alignRois(x, rois, batch, a, samples, samples));
  if (!a.isMax)
    return n.result(0, adaptiveMean(x, rois, batch, a));
  // As many points as a bin has elements, and each is kept to find the largest: the regions must be known.
  if (!n.isConstantInput(1))
    return n.error(
        "mode 'max' with sampling_ratio 0 takes as many points as a region has elements, which for regions of "
        "run time has no bound; remedy: export with a sampling_ratio of 1 or more or with mode 'avg', or, if "
        "the regions never change, compile them in with --value INPUT=VALUE");
  SmallVector<double> corners = n.floats(1, "rois");
  SmallVector<Value> parts;
  for (int64_t i = 0; n && i < rois.shape()[0]; ++i) {
    auto points = [&](int64_t axis, int64_t bins) {
      double extent = (corners[4 * i + axis + 2] - corners[4 * i + axis]) * a.scale;
      return saturatingInt(std::ceil((a.halfPixel ? extent : std::max(extent, 1.0)) / double(bins)));
    };
    int64_t rows = points(1, a.height), columns = points(0, a.width);
    if (rows < 1 || columns < 1 || rows > (1 << 16) / columns)
      return n.error("region " + Twine(i) + " is empty or too large");
    parts.push_back(alignRois(x, rois.slice(0, i, 1), batch.slice(0, i, 1), a, rows, columns));
  }
  if (n)
    n.result(0, join(parts, 0, n));
}

//===-- deformable convolution ----------------------------------------------===//

static void deformConv(NodeBinder &n) {
  Expr x(n, n.input(0)), weight(n, n.input(1)), offset(n, n.input(2));
  Value bias = n.optionalInput(3), mask = n.optionalInput(4);
  int64_t groups = n.intAttr("group", 1), offsetGroups = n.intAttr("offset_group", 1);
  std::optional<NodeWindow> window = readConvWindow(n, x, weight);
  if (!window)
    return;
  int64_t axes = window->input.size(), taps = ShapedType::getNumElements(window->kernel), batch = x.shape()[0],
          channels = x.shape()[1];
  SmallVector<int64_t> outputs;
  for (int64_t i = 0; i < axes; ++i)
    outputs.push_back(window->count(i));
  int64_t places = ShapedType::getNumElements(outputs), filters = weight.shape()[0];
  SmallVector<int64_t> wanted{batch, offsetGroups * taps * axes};
  llvm::append_range(wanted, outputs);
  if (offsetGroups < 1 || groups < 1 || channels % offsetGroups || channels % groups || filters % groups ||
      weight.shape()[1] * groups != channels || offset.shape() != ArrayRef(wanted))
    return n.error("the shapes of weight and offset don't fit " + Twine(channels) + " channels in " + Twine(groups) +
                   " groups and " + Twine(offsetGroups) + " offset groups");
  Expr moves = offset.cast(positionType(n)).reshape({batch * offsetGroups, taps, axes, places});
  SmallVector<Taps> positions;
  for (int64_t i = 0; i < axes; ++i) {
    int64_t tapStride = ShapedType::getNumElements(ArrayRef(window->kernel).drop_front(i + 1));
    int64_t placeStride = ShapedType::getNumElements(ArrayRef(outputs).drop_front(i + 1));
    Expr regular = table(n, {1, taps, places}, positionType(n), [&](ArrayRef<int64_t> at) {
      return double(at[2] / placeStride % outputs[i] * window->strides[i] - window->padBegin[i] +
                    at[1] / tapStride % window->kernel[i] * window->dilations[i]);
    });
    Expr position = (moves.at(2, i) + regular).reshape({batch * offsetGroups, taps * places});
    positions.push_back(tapsOf(position, window->input[i], "linear", "zeros", true));
  }
  if (!n)
    return;
  SmallVector<int64_t> grouped{batch * offsetGroups, channels / offsetGroups};
  llvm::append_range(grouped, window->input);
  Expr columns = sampled(x.reshape(grouped), positions);
  if (mask)
    columns = columns * Expr(n, mask).reshape({batch * offsetGroups, 1, taps * places});
  columns = columns.reshape({batch, groups, channels / groups * taps, places});
  SmallVector<int64_t> shape{batch, filters};
  llvm::append_range(shape, outputs);
  Expr result = matmul(weight.reshape({1, groups, filters / groups, channels / groups * taps}), columns).reshape(shape);
  if (bias) {
    SmallVector<int64_t> wide(shape.size(), 1);
    wide[1] = filters;
    result = result + Expr(n, bias).reshape(wide);
  }
  n.result(0, result);
}

void mlir::ane::onnx_import::registerSampleOps(Registry &registry) {
  registry.onOp("", "AffineGrid", {20}, affineGrid);
  registry.onOp("", "DeformConv", {19, 22}, deformConv);
  registry.onOp("", "GridSample", {16, 20, 22}, gridSample);
  registry.onOp("", "RoiAlign", {10, 16, 22}, roiAlign);
}
