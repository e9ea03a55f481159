//===- Shape.cpp - ONNX ops that move data --------------------------------===//

#include "../Expr.h"
#include "../Registry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

static std::string text(ArrayRef<int64_t> shape) {
  return llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }), ", ");
}

static void reshape(NodeBinder &n) {
  Value x = n.input(0);
  bool allowZero = n.boolAttr("allowzero", false);
  SmallVector<int64_t> shape = n.ints(1, "shape");
  if (!n)
    return;
  for (auto [i, dim] : llvm::enumerate(shape))
    if (dim == 0 && !allowZero) {
      if (int64_t(i) >= n.rank(x))
        return n.error("shape entry " + Twine(i) + " is 0 (copy), but the input has rank " + Twine(n.rank(x)));
      dim = n.shape(x)[i];
    }
  auto resolved = resolveReshape(shape, n.type(x).getNumElements());
  if (!resolved)
    return n.error("shape [" + text(shape) + "] does not hold the input's " + Twine(n.type(x).getNumElements()) +
                   " elements (one entry may be -1)");
  n.result(0, n.reshape(x, *resolved));
}

static void transpose(NodeBinder &n) {
  Value x = n.input(0);
  std::optional<SmallVector<int64_t>> perm = n.intsAttr("perm");
  if (!n)
    return;
  if (!perm) {
    perm.emplace();
    for (int64_t i = n.rank(x) - 1; i >= 0; --i)
      perm->push_back(i);
  }
  SmallVector<int64_t> checked = n.axes(*perm, n.rank(x));
  if (int64_t(checked.size()) != n.rank(x))
    return n.error("attribute 'perm' has " + Twine(checked.size()) + " entries, the input has rank " +
                   Twine(n.rank(x)));
  if (n)
    n.result(0, n.transpose(x, checked));
}

static void flatten(NodeBinder &n) {
  Value x = n.input(0);
  int64_t axis = n.intAttr("axis", 1);
  if (!n)
    return;
  // The rank itself is allowed: all axes are rows.
  if (axis != n.rank(x))
    axis = n.rank(x) == 0 ? 0 : n.axis(axis, n.rank(x));
  if (n)
    n.result(0, n.reshape(x, flattenedAt(n.shape(x), axis)));
}

/// Axes are an attribute before opset 13, an input since. Nothing if they are left out.
static std::optional<SmallVector<int64_t>> axesArgument(NodeBinder &n) {
  if (n.since() < 13)
    return n.intsAttr("axes");
  if (!n.hasInput(1))
    return std::nullopt;
  return n.ints(1, "axes");
}

static void squeeze(NodeBinder &n) {
  Value x = n.input(0);
  std::optional<SmallVector<int64_t>> given = axesArgument(n);
  if (!n)
    return;
  SmallVector<int64_t> shape, axes;
  if (given)
    axes = n.axes(*given, n.rank(x));
  for (auto [i, dim] : llvm::enumerate(n.shape(x))) {
    bool dropped = given ? llvm::is_contained(axes, int64_t(i)) : dim == 1;
    if (dropped && dim != 1)
      return n.error("axis " + Twine(i) + " has size " + Twine(dim) + ", not 1");
    if (!dropped)
      shape.push_back(dim);
    else if (!given)
      axes.push_back(i);
  }
  if (n)
    n.result(0, axes.empty() ? x : n.emit<SqueezeOp>({x}, {{"axes", ArrayRef<int64_t>(axes)}}));
}

static void unsqueeze(NodeBinder &n) {
  Value x = n.input(0);
  std::optional<SmallVector<int64_t>> given = axesArgument(n);
  if (!given)
    n.error("axes are missing");
  if (!n)
    return;
  SmallVector<int64_t> axes = n.axes(*given, n.rank(x) + given->size());
  llvm::sort(axes);
  if (n)
    n.result(0, axes.empty() ? x : n.emit<ExpandDimsOp>({x}, {{"axes", ArrayRef<int64_t>(axes)}}));
}

static void concat(NodeBinder &n) {
  SmallVector<Value> values = n.allInputs();
  int64_t given = n.intAttr("axis");
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(values.front()));
  if (n)
    n.result(0, values.size() == 1 ? values.front() : n.emit<ConcatOp>({ArrayRef<Value>(values)}, {{"axis", axis}}));
}

/// Parts of sizes that only the data know: each has room for the whole axis, and 0 behind its end. Sizes that don't
/// make up the axis are an error of the run.
static void splitAtRunTime(NodeBinder &n, Expr x, Expr sizes, int64_t axis, int64_t outputs) {
  if (sizes.shape() != ArrayRef<int64_t>{outputs})
    return n.error("input 'split' must have one size for each of the " + Twine(outputs) + " outputs");
  int64_t dim = x.shape()[axis];
  Type index = n.builder.getI64Type();
  SmallVector<int64_t> wide(x.rank(), 1);
  wide[axis] = dim;
  Expr place = iota(n, dim, index), begin = place.number(0);
  sizes = sizes.cast(index);
  n.check(sizes, "sizes of the parts of axis " + Twine(axis), dim, dim);
  for (int64_t i = 0; i < outputs; ++i) {
    Expr size = sizes.at(0, i), from = clamp(begin + place, 0, double(dim - 1));
    Expr part = x.make<GatherOp>({from.cast(n.builder.getI32Type())}, {{"axis", axis}});
    n.boundedResult(i, select((place < size).reshape(wide), part, 0.0), axis, 0, size);
    begin = begin + size;
  }
}

static void split(NodeBinder &n) {
  Value x = n.input(0);
  int64_t given = n.intAttr("axis", 0);
  std::optional<SmallVector<int64_t>> sizes;
  int64_t outputs = n.node.output_size();
  Value atRunTime = n.since() >= 13 && n.hasInput(1) && !n.isConstantInput(1) ? n.input(1) : Value();
  if (n.since() < 13)
    sizes = n.intsAttr("split");
  else if (n.hasInput(1) && !atRunTime)
    sizes = n.ints(1, "split");
  if (n.since() >= 18) {
    if (!sizes && !atRunTime && !n.hasAttr("num_outputs"))
      n.error("needs input 'split' or attribute 'num_outputs'");
    if (n.intAttr("num_outputs", outputs) != outputs)
      n.error("attribute 'num_outputs' differs from the number of outputs, " + Twine(outputs));
  }
  if (!n)
    return;
  int64_t axis = n.axis(given, n.rank(x));
  if (!n)
    return;
  int64_t dim = n.shape(x)[axis];
  if (atRunTime && dim > 0)
    return splitAtRunTime(n, {n, x}, {n, atRunTime}, axis, outputs);
  if (!sizes) {
    if (n.since() < 18 && dim % outputs != 0)
      return n.error("axis " + Twine(axis) + " of size " + Twine(dim) + " has no " + Twine(outputs) + " equal parts");
    sizes.emplace();
    // From opset 18 on the last part is smaller where the parts can't be equal.
    int64_t part = (dim + outputs - 1) / outputs;
    for (int64_t rest = dim, i = 0; i < outputs; ++i, rest -= sizes->back())
      sizes->push_back(std::min(part, rest));
  }
  int64_t sum = 0;
  for (int64_t size : *sizes)
    sum += size < 0 || size > dim ? dim + 1 : size;
  if (int64_t(sizes->size()) != outputs || sum != dim)
    return n.error("the sizes of the parts don't make up axis " + Twine(axis) + " of size " + Twine(dim) + " in " +
                   Twine(outputs) + " outputs");
  if (outputs == 1)
    return n.result(0, x);
  if (llvm::is_contained(*sizes, 0)) {
    for (int64_t i = 0, first = 0; i < outputs; first += (*sizes)[i++])
      n.result(i, Expr(n, x).slice(axis, first, (*sizes)[i]));
    return;
  }
  SmallVector<Value> parts = n.emitAll<SplitOp>({x}, {{"split_sizes", ArrayRef<int64_t>(*sizes)}, {"axis", axis}});
  for (auto [i, part] : llvm::enumerate(parts))
    n.result(i, part);
}

/// Bidirectional: where the wanted shape has 1, the input's size stays.
static void expand(NodeBinder &n) {
  Value x = n.input(0);
  SmallVector<int64_t> wanted = n.ints(1, "shape");
  if (!n)
    return;
  auto shape = broadcastShapes(std::nullopt, n.shape(x), wanted);
  if (failed(shape) || llvm::any_of(wanted, [](int64_t size) { return size < 0 || size > maxElements; }))
    return n.error("the input's shape [" + text(n.shape(x)) + "] can't be expanded to [" + text(wanted) + "]");
  n.result(0, n.broadcast(x, *shape));
}

static void tile(NodeBinder &n) {
  Value x = n.input(0);
  SmallVector<int64_t> reps = n.ints(1, "repeats");
  if (!n)
    return;
  if (int64_t(reps.size()) != n.rank(x))
    return n.error("repeats has " + Twine(reps.size()) + " entries, the input has rank " + Twine(n.rank(x)));
  SmallVector<int64_t> shape;
  for (auto [dim, rep] : llvm::zip(n.shape(x), reps)) {
    if (rep < 0 || rep > int64_t(1) << 31)
      return n.error("repeats has the entry " + Twine(rep));
    shape.push_back(dim * rep);
  }
  if (llvm::is_contained(shape, 0))
    return n.result(0, n.splat(RankedTensorType::get(shape, n.elementType(x)), 0));
  if (llvm::all_of(reps, [](int64_t rep) { return rep == 1; }))
    return n.result(0, x);
  n.result(0, n.emit<TileOp>({x}, {{"reps", ArrayRef<int64_t>(reps)}}));
}

static void depthToSpace(NodeBinder &n) {
  Value x = n.input(0);
  int64_t block = n.intAttr("blocksize");
  bool crd = n.since() >= 11 && n.stringAttr("mode", "DCR", {"DCR", "CRD"}) == "CRD";
  if (!n)
    return;
  n.result(0, crd ? n.emit<PixelShuffleOp>({x}, {{"upscale_factor", block}})
                  : n.emit<DepthToSpaceOp>({x}, {{"block_size", block}}));
}

static void spaceToDepth(NodeBinder &n) {
  Value x = n.input(0);
  int64_t block = n.intAttr("blocksize");
  bool crd = n.since() >= 28 && n.stringAttr("mode", "DCR", {"DCR", "CRD"}) == "CRD";
  n.result(0, crd ? n.emit<PixelUnshuffleOp>({x}, {{"downscale_factor", block}})
                  : n.emit<SpaceToDepthOp>({x}, {{"block_size", block}}));
}

/// Keeps j - i >= k (upper) or j - i <= k (lower) of each matrix.
static void trilu(NodeBinder &n) {
  Value x = n.input(0);
  bool upper = n.boolAttr("upper", true);
  int64_t k = n.hasInput(1) ? n.intScalar(1, "k") : 0;
  if (!n)
    return;
  int64_t rank = n.rank(x);
  if (rank < 2)
    return n.error("the input has rank " + Twine(rank) + ", but must have 2 or more");
  int64_t rows = n.shape(x)[rank - 2], columns = n.shape(x)[rank - 1];
  k = std::clamp(k, -rows, columns);
  // band_part's bounds count from the diagonal outwards and include it.
  if (upper && k <= 0)
    return n.result(0, n.emit<BandPartOp>({x}, {{"lower", -k}, {"upper", -1}}));
  if (!upper && k >= 0)
    return n.result(0, n.emit<BandPartOp>({x}, {{"lower", -1}, {"upper", k}}));
  Type index = n.builder.getI64Type();
  Value i = iota(n, rows, index, k).reshape({rows, 1}), j = iota(n, columns, index).reshape({1, columns});
  Value keep = upper ? n.emit<GreaterEqualOp>({j, i}) : n.emit<LessEqualOp>({j, i});
  n.result(0, n.emit<SelectOp>({keep, x, n.scalar(n.elementType(x), 0)}));
}

void mlir::ane::onnx_import::registerShapeOps(Registry &registry) {
  registry.onOp("", "Concat", {4, 11, 13}, concat);
  registry.onOp("", "DepthToSpace", {1, 11, 13, 28}, depthToSpace);
  registry.onOp("", "Expand", {8, 13}, expand);
  registry.onOp("", "Flatten", {1, 9, 11, 13, 21, 23, 24, 25}, flatten);
  registry.onOp("", "Reshape", {5, 13, 14, 19, 21, 23, 24, 25}, reshape);
  registry.onOp("", "SpaceToDepth", {1, 13, 28}, spaceToDepth);
  registry.onOp("", "Split", {2, 11, 13, 18}, split);
  registry.onOp("", "Squeeze", {1, 11, 13, 21, 23, 24, 25}, squeeze);
  registry.onOp("", "Tile", {6, 13}, tile);
  registry.onOp("", "Transpose", {1, 13, 21, 23, 24, 25}, transpose);
  registry.onOp("", "Trilu", {14}, trilu);
  registry.onOp("", "Unsqueeze", {1, 11, 13, 21, 23, 24, 25}, unsqueeze);
}
