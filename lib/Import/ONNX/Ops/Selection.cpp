//===- Selection.cpp - ONNX ops whose result's size depends on data -------===//
//
// Shapes are static. What decides the size is mostly constant once all dimensions are bound; it is decided here. Where
// it is not, NonZero and NonMaxSuppression give a tensor with room for the most that can be found, -1 where nothing is
// (Bounded.h).
//
//===----------------------------------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

namespace {
/// The elements of a constant, in the one of two lists that holds them exactly.
struct Elements {
  SmallVector<int64_t> ints;
  SmallVector<double> floats;
  bool isUnsigned = false;

  explicit Elements(DenseElementsAttr attribute) {
    if (!attribute)
      return;
    if (isa<FloatType>(attribute.getElementType())) {
      for (APFloat value : attribute.getValues<APFloat>())
        floats.push_back(value.convertToDouble());
      return;
    }
    isUnsigned = attribute.getElementType().isUnsignedInteger() || attribute.getElementType().isInteger(1);
    for (const APInt &value : attribute.getValues<APInt>())
      ints.push_back(isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue());
  }
  int64_t size() const { return ints.size() + floats.size(); }
  bool isZero(int64_t i) const { return floats.empty() ? ints[i] == 0 : floats[i] == 0; }
  /// -1, 0 or 1: the order of two elements.
  int compare(int64_t i, int64_t j) const {
    if (isUnsigned)
      return uint64_t(ints[i]) < uint64_t(ints[j]) ? -1 : uint64_t(ints[i]) > uint64_t(ints[j]);
    if (floats.empty())
      return ints[i] < ints[j] ? -1 : ints[i] > ints[j];
    return floats[i] < floats[j] ? -1 : floats[i] > floats[j];
  }
};
} // namespace

/// The `rows` [n, w] that `kept` [n] marks, in their order; in [room, w], -1 behind the last.
static Value keptRows(NodeBinder &n, Expr kept, Expr rows, int64_t room) {
  Type index = n.builder.getI64Type();
  Expr position = kept.cast(index).make<CumsumOp>({}, {{"axis", 0}}) - 1.0;
  // What is not kept goes to one more row, which is cut off.
  Expr target = select(kept, position, double(room)).reshape({rows.shape()[0], 1});
  Expr all{n, n.splat(RankedTensorType::get({room + 1, rows.shape()[1]}, index), -1)};
  return all.make<ScatterNdOp>({target, rows}, {{"mode", "update"}}).slice(0, 0, room);
}

static Value keptCount(NodeBinder &n, Expr kept) {
  return kept.cast(n.builder.getI64Type()).reduce<ReduceSumOp>({0}, /*keepDims=*/true);
}

/// A comparison in fp16 would lose the smallest numbers: no engine computes in f64.
static Expr onCPU(NodeBinder &n, Value x) { return {n, n.isFloat(x) ? n.cast(x, n.builder.getF64Type()) : x}; }

static void nonZeroAtRunTime(NodeBinder &n, Value given) {
  SmallVector<int64_t> shape(n.shape(given));
  int64_t count = n.type(given).getNumElements(), rank = shape.size();
  Expr x = onCPU(n, given).reshape({count});
  Type index = n.builder.getI64Type();
  Expr places = table(n, {count, rank}, index, [&](ArrayRef<int64_t> at) {
    int64_t stride = 1;
    for (int64_t d = rank - 1; d > at[1]; --d)
      stride *= shape[d];
    return double(at[0] / stride % shape[at[1]]);
  });
  Expr kept = n.elementType(given).isInteger(1) ? x : x.make<NotEqualOp>({x.number(0)});
  n.boundedResult(0, n.transpose(keptRows(n, kept, places, count), {1, 0}), 1, -1, keptCount(n, kept));
}

static void nonZero(NodeBinder &n) {
  Value x = n.input(0);
  if (n && !n.isConstantInput(0) && n.rank(x) > 0 && n.type(x).getNumElements() > 0)
    return nonZeroAtRunTime(n, x);
  Elements elements(n.constantElements(0, "X"));
  if (!n)
    return;
  ArrayRef<int64_t> shape = n.shape(x);
  SmallVector<int64_t> found, indices;
  for (int64_t i = 0; i < elements.size(); ++i)
    if (!elements.isZero(i))
      found.push_back(i);
  int64_t stride = elements.size();
  for (int64_t dim : shape) {
    stride /= std::max<int64_t>(dim, 1);
    for (int64_t i : found)
      indices.push_back(i / std::max<int64_t>(stride, 1) % std::max<int64_t>(dim, 1));
  }
  n.result(0, n.reshape(n.intsConstant(indices), {int64_t(shape.size()), int64_t(found.size())}));
}

/// x flattened unless there is an axis; and the axis.
static std::pair<Expr, int64_t> alongAxisOrFlat(NodeBinder &n, Value x) {
  if (n && n.hasAttr("axis"))
    return {{n, x}, n.axis(n.intAttr("axis"), n.rank(x))};
  return {{n, n ? n.reshape(x, {n.type(x).getNumElements()}) : Value()}, 0};
}

static void compress(NodeBinder &n) {
  Value given = n.input(0);
  SmallVector<int64_t> condition = n.ints(1, "condition"), indices;
  auto [x, axis] = alongAxisOrFlat(n, given);
  if (!n)
    return;
  if (int64_t(condition.size()) > x.shape()[axis])
    return n.error("condition has " + Twine(condition.size()) + " entries for an axis of " + Twine(x.shape()[axis]));
  for (auto [i, keep] : llvm::enumerate(condition))
    if (keep)
      indices.push_back(i);
  n.result(0, x.make<GatherOp>({n.intsConstant(indices)}, {{"axis", axis}}));
}

/// Slices along an axis are compared element by element, in row-major order.
static void unique(NodeBinder &n) {
  Value given = n.input(0);
  Elements elements(n.constantElements(0, "X"));
  bool sorted = n.boolAttr("sorted", true);
  auto [x, axis] = alongAxisOrFlat(n, given);
  if (!n)
    return;
  int64_t count = x.shape()[axis], inner = 1, outer = 1;
  for (int64_t i = 0; i < x.rank(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : x.shape()[i];
  auto compare = [&](int64_t i, int64_t j) {
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < inner; ++k)
        if (int order = elements.compare((o * count + i) * inner + k, (o * count + j) * inner + k))
          return order;
    return 0;
  };
  SmallVector<int64_t> order(count), first, inverse(count), counts;
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](int64_t i, int64_t j) { return compare(i, j) < 0; });
  SmallVector<int64_t> group(count);
  for (int64_t i = 0; i < count; ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0)
      first.push_back(order[i]);
    group[order[i]] = first.size() - 1;
  }
  SmallVector<int64_t> place(first.size());
  std::iota(place.begin(), place.end(), 0);
  if (!sorted)
    llvm::sort(place, [&](int64_t a, int64_t b) { return first[a] < first[b]; });
  SmallVector<int64_t> rank(first.size()), indices;
  for (auto [i, g] : llvm::enumerate(place)) {
    rank[g] = i;
    indices.push_back(first[g]);
  }
  counts.resize(first.size());
  for (int64_t i = 0; i < count; ++i)
    ++counts[inverse[i] = rank[group[i]]];
  n.result(0, x.make<GatherOp>({n.intsConstant(indices)}, {{"axis", axis}}));
  n.result(1, n.intsConstant(indices));
  n.result(2, n.intsConstant(inverse));
  n.result(3, n.intsConstant(counts));
}

//===-- non-maximum suppression ---------------------------------------------===//

namespace {
struct Box {
  double top, left, bottom, right;
  double area() const { return (bottom - top) * (right - left); }
};
} // namespace

static Box readBox(ArrayRef<double> values, bool centred) {
  if (centred)
    return {values[1] - values[3] / 2, values[0] - values[2] / 2, values[1] + values[3] / 2, values[0] + values[2] / 2};
  return {std::min(values[0], values[2]), std::min(values[1], values[3]), std::max(values[0], values[2]),
          std::max(values[1], values[3])};
}

static double overlap(const Box &a, const Box &b) {
  double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0)
    return 0;
  double shared = height * width, all = a.area() + b.area() - shared;
  return all > 0 ? shared / all : 0;
}

namespace {
struct Suppression {
  int64_t limit;
  double threshold, lowest;
  bool centred;
};
} // namespace

/// Each class of each image is suppressed by itself.
static void suppressAtRunTime(NodeBinder &n, Value givenBoxes, Value givenScores, const Suppression &s) {
  int64_t batches = n.shape(givenBoxes)[0], count = n.shape(givenBoxes)[1], classes = n.shape(givenScores)[1];
  int64_t lists = batches * classes, most = std::min(s.limit, count);
  Expr boxes = onCPU(n, givenBoxes), scores = onCPU(n, givenScores).reshape({lists, count, 1});
  if (!s.centred) {
    Expr y1 = boxes.slice(2, 0, 1), x1 = boxes.slice(2, 1, 1), y2 = boxes.slice(2, 2, 1), x2 = boxes.slice(2, 3, 1);
    boxes = join({(x1 + x2) * 0.5, (y1 + y2) * 0.5, abs(x2 - x1), abs(y2 - y1)}, 2, n);
  }
  boxes = boxes.expand(1).broadcast({batches, classes, count, 4}).reshape({lists, count, 4});
  // A score must be above the threshold, not at it.
  float above = std::nextafter(float(s.lowest), std::numeric_limits<float>::infinity());
  SmallVector<Value> found = n.emitAll<NonMaximumSuppressionOp>(
      {Segment(boxes), Segment(scores)},
      {{"iou_threshold", s.threshold}, {"score_threshold", double(above)}, {"max_boxes", most}});
  if (!n)
    return;
  Type index = n.builder.getI64Type();
  int64_t rows = lists * most;
  Expr box = Expr(n, found[2]).cast(index).reshape({rows, 1});
  Expr list = table(n, {rows, 2}, index, [&](ArrayRef<int64_t> at) {
    int64_t list = at[0] / most;
    return double(at[1] == 0 ? list / classes : list % classes);
  });
  Expr kept = box.reshape({rows}) >= 0.0;
  n.boundedResult(0, keptRows(n, kept, join({list, box}, 1, n), rows), 0, -1, keptCount(n, kept));
}

static void nonMaxSuppression(NodeBinder &n) {
  Value boxes = n.input(0), scores = n.input(1);
  bool isConstant = n.isConstantInput(0) && n.isConstantInput(1);
  SmallVector<double> boxValues, scoreValues;
  if (isConstant) {
    boxValues = n.floats(0, "boxes");
    scoreValues = n.floats(1, "scores");
  }
  int64_t limit = n.hasInput(2) ? n.intScalar(2, "max_output_boxes_per_class") : 0;
  double threshold = n.hasInput(3) ? n.floatScalar(3, "iou_threshold") : 0;
  double lowest = n.hasInput(4) ? n.floatScalar(4, "score_threshold") : -std::numeric_limits<double>::infinity();
  bool centred = n.boolAttr("center_point_box", false);
  if (!n)
    return;
  if (n.rank(boxes) != 3 || n.rank(scores) != 3 || n.shape(boxes)[2] != 4 || n.shape(scores)[2] != n.shape(boxes)[1] ||
      n.shape(scores)[0] != n.shape(boxes)[0])
    return n.error("needs boxes [N, B, 4] and scores [N, C, B]");
  int64_t batches = n.shape(boxes)[0], count = n.shape(boxes)[1], classes = n.shape(scores)[1];
  if (!isConstant && limit > 0 && batches * classes * count > 0)
    return suppressAtRunTime(n, boxes, scores, {limit, threshold, lowest, centred});
  SmallVector<int64_t> selected;
  for (int64_t batch = 0; batch < batches; ++batch)
    for (int64_t kind = 0; kind < classes; ++kind) {
      ArrayRef<double> score = ArrayRef(scoreValues).slice((batch * classes + kind) * count, count);
      SmallVector<int64_t> order;
      for (int64_t i = 0; i < count; ++i)
        if (score[i] > lowest)
          order.push_back(i);
      llvm::stable_sort(order, [&](int64_t i, int64_t j) { return score[i] > score[j]; });
      SmallVector<Box> kept;
      for (int64_t i : order) {
        Box box = readBox(ArrayRef(boxValues).slice((batch * count + i) * 4, 4), centred);
        if (int64_t(kept.size()) >= limit)
          break;
        if (llvm::any_of(kept, [&](const Box &other) { return overlap(box, other) > threshold; }))
          continue;
        kept.push_back(box);
        selected.append({batch, kind, i});
      }
    }
  n.result(0, n.reshape(n.intsConstant(selected), {int64_t(selected.size()) / 3, 3}));
}

void mlir::ane::onnx_import::registerSelectionOps(Registry &registry) {
  registry.onOp("", "Compress", {9, 11, 28}, compress);
  registry.onOp("", "NonMaxSuppression", {10, 11}, nonMaxSuppression);
  registry.onOp("", "NonZero", {9, 13}, nonZero);
  registry.onOp("", "Unique", {11, 28}, unique);
}
