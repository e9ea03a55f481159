//===- Pad.cpp - ONNX Pad -------------------------------------------------===//

#include "../Expr.h"
#include "../Registry.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// `x` with what lies before and after it when it repeats itself along `axis`.
static Value wrap(NodeBinder &n, Expr x, int64_t axis, int64_t before, int64_t after) {
  int64_t dim = x.shape()[axis];
  if ((before + after) / std::max<int64_t>(dim, 1) > maxSequence || dim == 0) {
    n.error("wrap padding of axis " + Twine(axis) + " by " + Twine(before) + " and " + Twine(after) + " repeats its " +
            Twine(dim) + " elements more than " + Twine(maxSequence) + " times");
    return nullptr;
  }
  SmallVector<Value> parts;
  if (before % dim)
    parts.push_back(x.slice(axis, dim - before % dim, before % dim));
  parts.append(before / dim + 1 + after / dim, x);
  if (after % dim)
    parts.push_back(x.slice(axis, 0, after % dim));
  return join(parts, axis, n);
}

/// ONNX gives all begins, then all ends; MIL interleaves them, for the last axes only. Negative pads cut.
static void pad(NodeBinder &n) {
  Value x = n.input(0);
  bool fromInputs = n.since() >= 11;
  SmallVector<StringRef> modes{"constant", "reflect", "edge"};
  if (n.since() >= 19)
    modes.push_back("wrap");
  std::string mode = n.stringAttr("mode", "constant", modes);
  SmallVector<int64_t> pads = fromInputs ? n.ints(1, "pads") : n.intsAttr("pads").value_or(SmallVector<int64_t>());
  double value = fromInputs ? 0 : n.floatAttr("value", 0.0);
  Value offset; // instead, of integers that a double may not hold
  if (!n)
    return;
  int64_t rank = n.rank(x);
  if (fromInputs && n.hasInput(2) && mode == "constant" && n.elementType(x).isInteger(64))
    offset = n.reshape(n.input(2), {});
  else if (fromInputs && n.hasInput(2) && mode == "constant")
    value = n.isFloat(x) ? n.floatScalar(2, "constant_value") : double(n.intScalar(2, "constant_value"));
  else
    (void)n.optionalInput(2);
  SmallVector<int64_t> axes;
  if (n.since() >= 18 && n.hasInput(3)) {
    axes = n.axes(n.ints(3, "axes"), rank);
  } else {
    for (int64_t i = 0; i < rank; ++i)
      axes.push_back(i);
  }
  if (pads.size() != 2 * axes.size())
    n.error("pads has " + Twine(pads.size()) + " entries for " + Twine(axes.size()) + " axes");
  if (!n)
    return;

  SmallVector<int64_t> before(rank, 0), after(rank, 0), begin(rank, 0), end(n.shape(x));
  int64_t firstPadded = rank;
  bool cuts = false;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t dim = n.shape(x)[axis], low = pads[i], high = pads[i + axes.size()];
    constexpr int64_t limit = int64_t(1) << 31;
    if (low > limit || high > limit || low < -dim || high < -dim || low + high < -dim)
      return n.error("pads of axis " + Twine(axis) + " are " + Twine(low) + " and " + Twine(high) + ", its size is " +
                     Twine(dim));
    begin[axis] = std::max<int64_t>(-low, 0);
    end[axis] = dim - std::max<int64_t>(-high, 0);
    cuts |= low < 0 || high < 0;
    before[axis] = std::max<int64_t>(low, 0);
    after[axis] = std::max<int64_t>(high, 0);
    if (before[axis] || after[axis])
      firstPadded = std::min<int64_t>(firstPadded, axis);
    // A reflection needs the elements that it repeats.
    if (mode == "reflect" && std::max(before[axis], after[axis]) >= std::max<int64_t>(end[axis] - begin[axis], 1))
      return n.error("reflect padding of axis " + Twine(axis) + " by " + Twine(low) + " and " + Twine(high) +
                     " needs more elements than its size, " + Twine(dim));
    if (mode == "edge" && (before[axis] || after[axis]) && end[axis] == begin[axis])
      return n.error("edge padding of the empty axis " + Twine(axis));
  }
  if (cuts)
    x = n.emit<SliceByIndexOp>({x}, {{"begin", ArrayRef<int64_t>(begin)}, {"end", ArrayRef<int64_t>(end)}});
  if (firstPadded == rank)
    return n.result(0, x);
  if (mode == "wrap") {
    for (int64_t axis = firstPadded; axis < rank; ++axis)
      if (n && (before[axis] || after[axis]))
        x = wrap(n, {n, x}, axis, before[axis], after[axis]);
    return n.result(0, x);
  }
  SmallVector<int64_t> interleaved;
  for (int64_t axis = firstPadded; axis < rank; ++axis) {
    interleaved.push_back(before[axis]);
    interleaved.push_back(after[axis]);
  }
  StringRef milMode = mode == "edge" ? StringRef("replicate") : StringRef(mode);
  if (offset)
    x = n.emit<SubOp>({x, offset});
  x = n.emit<PadOp>({x}, {{"pad", ArrayRef<int64_t>(interleaved)}, {"mode", milMode}, {"constant_val", value}});
  n.result(0, offset ? n.emit<AddOp>({x, offset}) : x);
}

/// Axes that are too long lose as much at both ends, and those that are too short get zeros; the odd one at the end.
static void centerCropPad(NodeBinder &n) {
  Value x = n.input(0);
  SmallVector<int64_t> wanted = n.ints(1, "shape"), axes;
  if (!n)
    return;
  int64_t rank = n.rank(x);
  for (int64_t i = 0; i < rank; ++i)
    axes.push_back(i);
  if (auto given = n.intsAttr("axes"))
    axes = n.axes(*given, rank);
  if (wanted.size() != axes.size())
    n.error("shape has " + Twine(wanted.size()) + " entries for " + Twine(axes.size()) + " axes");
  if (!n)
    return;
  SmallVector<int64_t> begin(rank, 0), size(n.shape(x)), pads(2 * rank, 0);
  for (auto [axis, want] : llvm::zip(axes, wanted)) {
    int64_t missing = want - size[axis];
    if (want < 0 || want > int64_t(1) << 31)
      return n.error("shape has the entry " + Twine(want));
    if (missing < 0) {
      begin[axis] = -missing / 2;
      size[axis] = want;
    } else {
      pads[2 * axis] = missing / 2;
      pads[2 * axis + 1] = missing - missing / 2;
    }
  }
  if (ArrayRef<int64_t>(size) != n.shape(x))
    x = n.emit<SliceBySizeOp>({x}, {{"begin", ArrayRef<int64_t>(begin)}, {"size", ArrayRef<int64_t>(size)}});
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; }))
    x = n.emit<PadOp>({x}, {{"pad", ArrayRef<int64_t>(pads)}});
  n.result(0, x);
}

void mlir::ane::onnx_import::registerPadOps(Registry &registry) {
  registry.onOp("", "CenterCropPad", {18}, centerCropPad);
  registry.onOp("", "Pad", {2, 11, 13, 18, 19, 21, 23, 24, 25}, pad);
}
