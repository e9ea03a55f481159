//===- Gather.cpp - ONNX indexing -----------------------------------------===//
//
// ONNX indices may count from the end, MIL's may not (coreml-mlprogram.md 3): negative ones are made positive here. On
// constant indices that folds away.
//
//===----------------------------------------------------------------------===//

#include "../../ConstantEvaluator.h"
#include "../Expr.h"
#include "../Registry.h"
#include "ane/Support/Saturate.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// indices + limit where they are negative. `limit` broadcasts to indices.
static Value countFromFront(NodeBinder &n, Value indices, Value limit) {
  Value zero = n.scalar(n.elementType(indices), 0);
  return n.emit<SelectOp>({n.emit<LessOp>({indices, zero}), n.emit<AddOp>({indices, limit}), indices});
}

/// Constant indices must be inside `limits`, one for each entry of the last axis: CPU code would clamp the others.
static void checkIndices(NodeBinder &n, Value indices, ArrayRef<int64_t> limits) {
  DenseElementsAttr constant = n.isFloat(indices) ? nullptr : readConstant(indices);
  if (!constant)
    return;
  for (auto [i, value] : llvm::enumerate(constant.getValues<APInt>())) {
    int64_t limit = limits[i % limits.size()], index = value.getSExtValue();
    if (index < -limit || index >= limit)
      return n.error("index " + Twine(index) + " is outside an axis of size " + Twine(limit));
  }
}

static Value countFromFront(NodeBinder &n, Value indices, int64_t limit) {
  if (n.isFloat(indices)) {
    n.error("indices must be integers");
    return nullptr;
  }
  // Constants are usually positive already.
  DenseElementsAttr constant = readConstant(indices);
  if (constant && llvm::all_of(constant.getValues<APInt>(), [](const APInt &value) { return value.isNonNegative(); }))
    return indices;
  return countFromFront(n, indices, n.scalar(n.elementType(indices), limit));
}

/// Neighbouring constant indices along an axis are a slice, which the engine can do, and which on a constant is a part
/// of the file. So is one index that is wanted many times (token types).
static Value sliceInstead(NodeBinder &n, Value x, Value indices, int64_t axis) {
  DenseElementsAttr constant = readConstant(indices, maxFoldedElements);
  if (!constant || constant.empty())
    return nullptr;
  SmallVector<APInt> values(constant.getValues<APInt>());
  int64_t first = values.front().getSExtValue(), count = values.size();
  bool repeats = llvm::all_equal(values);
  for (int64_t i = 0; i < count && !repeats; ++i)
    if (values[i].getSExtValue() != first + i)
      return nullptr;
  if (repeats)
    count = 1;
  SmallVector<int64_t> begin(n.rank(x), 0), end(n.shape(x)), shape(n.shape(x).take_front(axis));
  begin[axis] = first;
  end[axis] = first + count;
  SmallVector<int64_t> sliced(shape);
  sliced.append(n.rank(indices), 1);
  llvm::append_range(shape, n.shape(indices));
  for (SmallVectorImpl<int64_t> *dims : {&shape, &sliced})
    llvm::append_range(*dims, n.shape(x).drop_front(axis + 1));
  SmallVector<Argument> arguments{{"begin", ArrayRef<int64_t>(begin)}, {"end", ArrayRef<int64_t>(end)}};
  SmallVector<bool> squeeze(n.rank(x), false);
  squeeze[axis] = true;
  if (n.rank(indices) == 0)
    arguments.push_back({"squeeze_mask", ArrayRef<bool>(squeeze)});
  Value slice = n.emit<SliceByIndexOp>({x}, arguments);
  return repeats ? n.broadcast(n.reshape(slice, sliced), shape) : n.reshape(slice, shape);
}

static void gather(NodeBinder &n) {
  Value x = n.input(0), indices = n.input(1);
  int64_t given = n.intAttr("axis", 0);
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(x));
  if (!n)
    return;
  checkIndices(n, indices, n.shape(x)[axis]);
  indices = countFromFront(n, indices, n.shape(x)[axis]);
  if (!n)
    return;
  if (Value slice = sliceInstead(n, x, indices, axis))
    return n.result(0, slice);
  n.result(0, n.emit<GatherOp>({x, indices}, {{"axis", axis}}));
}

static void gatherElements(NodeBinder &n) {
  Value x = n.input(0), indices = n.input(1);
  int64_t given = n.intAttr("axis", 0);
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(x));
  if (!n)
    return;
  if (n.rank(x) != n.rank(indices))
    return n.error("data has rank " + Twine(n.rank(x)) + ", indices " + Twine(n.rank(indices)));
  // MIL takes whole axes beside the one that is indexed; ONNX may take the first indices of each only.
  SmallVector<int64_t> begin(n.rank(x), 0), end(n.shape(indices));
  end[axis] = n.shape(x)[axis];
  for (auto [i, dim] : llvm::enumerate(n.shape(x)))
    if (end[i] > dim)
      return n.error("axis " + Twine(i) + " of indices is larger than that of data");
  checkIndices(n, indices, n.shape(x)[axis]);
  indices = countFromFront(n, indices, n.shape(x)[axis]);
  if (ArrayRef<int64_t>(end) != n.shape(x))
    x = n.emit<SliceByIndexOp>({x}, {{"begin", ArrayRef<int64_t>(begin)}, {"end", ArrayRef<int64_t>(end)}});
  n.result(0, n.emit<GatherAlongAxisOp>({x, indices}, {{"axis", axis}}));
}

/// The sizes that an index tuple of `indices` (its last axis) may address in `data` from axis `first` on.
static Value tupleLimits(NodeBinder &n, Value data, Value indices, int64_t first) {
  int64_t tuple = n.rank(indices) ? n.shape(indices).back() : -1;
  if (tuple < 1 || first < 0 || first > n.rank(data) || tuple > n.rank(data) - first) {
    n.error("index tuples of " + Twine(tuple) + " entries, behind " + Twine(first) +
            " batch axes, don't fit data of rank " + Twine(n.rank(data)));
    return nullptr;
  }
  ArrayRef<int64_t> sizes = n.shape(data).slice(first, tuple);
  checkIndices(n, indices, sizes);
  return n.cast(n.intsConstant(sizes), n.elementType(indices));
}

static void gatherND(NodeBinder &n) {
  Value x = n.input(0), indices = n.input(1);
  int64_t batchDims = n.since() >= 12 ? n.intAttr("batch_dims", 0) : 0;
  if (!n)
    return;
  Value limits = tupleLimits(n, x, indices, batchDims);
  if (!n)
    return;
  n.result(0, n.emit<GatherNdOp>({x, countFromFront(n, indices, limits)}, {{"batch_dims", batchDims}}));
}

static std::string scatterMode(NodeBinder &n) {
  // max and min came with opset 18; PyTorch's exporter writes them for 16 as well.
  std::string mode = n.since() < 16 ? "none" : n.stringAttr("reduction", "none", {"none", "add", "mul", "max", "min"});
  return mode == "none" ? "update" : mode;
}

static void scatterND(NodeBinder &n) {
  Value data = n.input(0), indices = n.input(1), updates = n.input(2);
  std::string mode = scatterMode(n);
  if (!n)
    return;
  Value limits = tupleLimits(n, data, indices, 0);
  if (!n)
    return;
  n.result(0, n.emit<ScatterNdOp>({data, countFromFront(n, indices, limits), updates}, {{"mode", StringRef(mode)}}));
}

/// MIL takes whole axes beside the one that is indexed; where ONNX takes the first indices of an axis, a part of the
/// data is updated, and the rest joined to it axis by axis.
static void scatterElements(NodeBinder &n) {
  Value data = n.input(0), indices = n.input(1), updates = n.input(2);
  int64_t given = n.intAttr("axis", 0);
  std::string mode = scatterMode(n);
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(data));
  if (!n)
    return;
  if (n.rank(data) != n.rank(indices))
    return n.error("data has rank " + Twine(n.rank(data)) + ", indices " + Twine(n.rank(indices)));
  SmallVector<int64_t> sizes(n.shape(data)), taken(n.shape(indices));
  if (llvm::is_contained(taken, 0))
    return n.result(0, data);
  taken[axis] = sizes[axis];
  SmallVector<size_t> partial;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (taken[i] > sizes[i])
      return n.error("axis " + Twine(i) + " of indices is larger than that of data");
    if (taken[i] < sizes[i])
      partial.push_back(i);
  }
  // The data, cut to what is indexed on those partial axes that are not before `first`.
  auto cut = [&](size_t first) {
    Expr part(n, data);
    for (size_t i : partial)
      if (i >= first)
        part = part.slice(i, 0, taken[i]);
    return part;
  };
  checkIndices(n, indices, sizes[axis]);
  Expr result = cut(0).make<ScatterAlongAxisOp>({countFromFront(n, indices, sizes[axis]), updates},
                                                {{"axis", axis}, {"mode", StringRef(mode)}});
  for (size_t i : partial)
    result = join({result, cut(i + 1).slice(i, taken[i], sizes[i] - taken[i])}, i, n);
  n.result(0, result);
}

/// Spelled with a comparison: indices outside the range then select nothing, as ONNX wants.
static void oneHot(NodeBinder &n) {
  Value indices = n.input(0), values = n.input(2);
  int64_t given = n.intAttr("axis", -1);
  if (!n)
    return;
  // The depth may be a float tensor.
  int64_t depth = n.isFloat(n.input(1)) ? saturatingInt(n.floatScalar(1, "depth")) : n.intScalar(1, "depth");
  int64_t rank = n.rank(indices) + 1, axis = n.axis(given, rank);
  if (depth < 1)
    n.error("depth is " + Twine(depth));
  if (!n)
    return;
  if (n.rank(values) != 1 || n.shape(values)[0] != 2)
    return n.error("values must be [off, on]");
  indices = countFromFront(n, n.cast(indices, n.builder.getI64Type()), depth);
  SmallVector<int64_t> shape(rank, 1);
  shape[axis] = depth;
  Value expanded = n.emit<ExpandDimsOp>({indices}, {{"axes", ArrayRef<int64_t>(axis)}});
  Value hot = n.emit<EqualOp>({expanded, Value(iota(n, depth, n.builder.getI64Type()).reshape(shape))});
  auto element = [&](int64_t i) {
    bool drop[] = {true};
    return n.emit<SliceByIndexOp>(
        {values},
        {{"begin", ArrayRef<int64_t>(i)}, {"end", ArrayRef<int64_t>(i + 1)}, {"squeeze_mask", ArrayRef<bool>(drop)}});
  };
  Value off = element(0), on = element(1);
  n.result(0, n.emit<SelectOp>({hot, on, off}));
}

void mlir::ane::onnx_import::registerGatherOps(Registry &registry) {
  registry.onOp("", "Gather", {1, 11, 13}, gather);
  registry.onOp("", "GatherElements", {11, 13}, gatherElements);
  registry.onOp("", "GatherND", {11, 12, 13}, gatherND);
  registry.onOp("", "OneHot", {9, 11, 28}, oneHot);
  registry.onOp("", "Scatter", {9}, scatterElements);
  registry.onOp("", "ScatterElements", {11, 13, 16, 18}, scatterElements);
  registry.onOp("", "ScatterND", {11, 13, 16, 18}, scatterND);
}
