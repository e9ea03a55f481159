//===- State.cpp - states of which a run changes entries ------------------===//
//
// A decoder's cache with room for all tokens: a run replaces an entry along an axis, or several, at positions that it
// computes. Exporters spell that as a scatter or a selection on the whole cache.
//
//===----------------------------------------------------------------------===//

#include "Raise.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/StateAccess.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

static int64_t countOf(Value value) { return typeOf(value).getNumElements(); }

/// Larger constants are no indices of a window.
static constexpr int64_t maxIndices = 1 << 16;

/// The integers of a constant expression; empty if there are none.
static SmallVector<int64_t> integersOf(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!isConstantExpr(value) || !type.getElementType().isInteger() || type.getElementType().isInteger(1) ||
      type.getNumElements() > maxIndices)
    return {};
  FailureOr<DenseElementsAttr> elements = evaluateToAttribute(value);
  if (failed(elements))
    return {};
  SmallVector<int64_t> integers;
  for (const APInt &element : elements->getValues<APInt>())
    integers.push_back(element.getSExtValue());
  return integers;
}

/// Axes along which elements may differ.
using Axes = llvm::SmallBitVector;

static Axes longAxes(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  Axes axes(shape.size());
  for (auto [i, size] : llvm::enumerate(shape))
    axes[i] = size != 1;
  return axes;
}

static Axes axesOfConstant(Value value, ArrayRef<int64_t> integers) {
  ArrayRef<int64_t> shape = shapeOf(value);
  Axes axes(shape.size());
  int64_t inner = 1;
  for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; inner *= shape[axis--])
    for (int64_t i = 0; i < int64_t(integers.size()) && !axes[axis]; ++i)
      axes[axis] = i / inner % shape[axis] && integers[i] != integers[i - inner];
  return axes;
}

/// The axes along which a reshape `value` of `from` may differ, given those of `from`, `axes`: sizes other than one
/// keep their order.
static Axes axesOfReshape(Value value, Value from, const Axes &axes) {
  Axes target = longAxes(value), source = longAxes(from), result(target.size());
  if (axes.none())
    return result;
  auto sizes = [](Value v, const Axes &of) {
    return llvm::map_to_vector(of.set_bits(), [&](unsigned i) { return shapeOf(v)[i]; });
  };
  if (sizes(value, target) != sizes(from, source))
    return target;
  for (auto [to, at] : llvm::zip_equal(target.set_bits(), source.set_bits()))
    result[to] = axes[at];
  return result;
}

/// The axes along which the elements of `value` may differ; `levels` bounds how many ops are looked through.
static Axes varyingAxes(Value value, int levels = 12) {
  Axes axes(shapeOf(value).size());
  if (countOf(value) == 1)
    return axes;
  if (SmallVector<int64_t> integers = integersOf(value); !integers.empty())
    return axesOfConstant(value, integers);
  Operation *op = value.getDefiningOp();
  if (!op || !levels)
    return longAxes(value);
  return llvm::TypeSwitch<Operation *, Axes>(op)
      .Case<ReshapeOp, ExpandDimsOp, SqueezeOp>(
          [&](auto) { return axesOfReshape(value, op->getOperand(0), varyingAxes(op->getOperand(0), levels - 1)); })
      .Case<TileOp>([&](auto) { return varyingAxes(op->getOperand(0), levels - 1); })
      .Case<TransposeOp>([&](TransposeOp transpose) {
        Axes source = varyingAxes(transpose.getX(), levels - 1);
        for (auto [i, axis] : llvm::enumerate(transpose.getPerm()))
          axes[i] = source[axis];
        return axes;
      })
      .Case<CastOp, AddOp, LessOp, SelectOp>([&](auto) {
        for (Value operand : op->getOperands()) {
          Axes source = varyingAxes(operand, levels - 1);
          for (unsigned axis : source.set_bits())
            axes.set(axes.size() - source.size() + axis);
        }
        return axes;
      })
      .Default([&](Operation *) { return longAxes(value); });
}

/// Whether the elements of `value` are the same along all axes but `axis`.
static bool variesAlong(Value value, int64_t axis) {
  Axes axes = varyingAxes(value);
  return axes.reset(axis).none();
}

/// The elements along `axis` that begin at `begin`.
static Value elementsAlong(OpBuilder &builder, Value value, int64_t axis, SmallVector<int64_t> begin) {
  SmallVector<int64_t> size(begin.size(), 1);
  size[axis] = shapeOf(value)[axis];
  if (countOf(value) == size[axis])
    return value;
  return builder.create<SliceBySizeOp>(value.getLoc(), value, begin, size);
}

namespace {
/// A state's next value is its old one with `window` at `position` of `axis`, or each entry at its own.
struct Replacement {
  Value window, position;
  int64_t axis;
  bool skipOutside = false;
};
} // namespace

/// Whether `window` consists of entries of `state` along `axis`.
static bool isWindow(Value window, Value state, int64_t axis) {
  SmallVector<int64_t> shape(shapeOf(state));
  ArrayRef<int64_t> sizes = shapeOf(window);
  if (sizes.size() != shape.size() || sizes[axis] > shape[axis])
    return false;
  shape[axis] = sizes[axis];
  return sizes == ArrayRef<int64_t>(shape);
}

static std::optional<Replacement> matchScatter(ScatterAlongAxisOp scatter, OpBuilder &builder) {
  int64_t axis = scatter.getAxisFromFront();
  Value indices = scatter.getIndices();
  if (scatter.getMode() != "update" || !isWindow(scatter.getUpdates(), scatter.getData(), axis) ||
      !variesAlong(indices, axis))
    return std::nullopt;
  SmallVector<int64_t> first(shapeOf(indices).size(), 0);
  return Replacement{scatter.getUpdates(), elementsAlong(builder, indices, axis, first), axis};
}

/// Each slice along the axis goes to its own index.
static std::optional<Replacement> matchScatter(ScatterOp scatter) {
  int64_t axis = scatter.getAxisFromFront();
  if (scatter.getMode() != "update" || shapeOf(scatter.getIndices()).size() != 1 ||
      !isWindow(scatter.getUpdates(), scatter.getData(), axis))
    return std::nullopt;
  return Replacement{scatter.getUpdates(), scatter.getIndices(), axis};
}

/// Index tuples before the importer made negative ones positive: x of select(x < 0, x + limits, x).
static Value withoutNormalisation(Value indices) {
  auto select = indices.getDefiningOp<SelectOp>();
  if (!select)
    return indices;
  auto less = select.getCond().getDefiningOp<LessOp>();
  auto add = select.getA().getDefiningOp<AddOp>();
  bool isNormalised = less && add && less.getX() == select.getB() && getSplat(less.getY()) == 0.0 &&
                      add.getX() == select.getB() && countOf(add.getY()) == shapeOf(indices).back();
  return isNormalised ? select.getB() : indices;
}

/// Whether `column` of the index tuples, of `columns` entries each, counts along `axis` of their shape.
static bool countsAlong(ArrayRef<int64_t> tuples, int64_t column, int64_t columns, ArrayRef<int64_t> shape,
                        int64_t axis) {
  int64_t inner = numElements(shape.drop_front(axis + 1));
  for (int64_t tuple = 0; tuple * columns < int64_t(tuples.size()); ++tuple)
    if (tuples[tuple * columns + column] != tuple / inner % shape[axis])
      return false;
  return !tuples.empty();
}

static std::optional<Replacement> matchScatter(ScatterNdOp scatter, OpBuilder &builder) {
  Value indices = scatter.getIndices();
  ArrayRef<int64_t> shape = shapeOf(indices);
  // Entry `axis` of each tuple is the position, those before count along theirs.
  int64_t axis = shape.back() - 1;
  if (scatter.getMode() != "update" || int64_t(shape.size()) != axis + 2 ||
      !isWindow(scatter.getUpdates(), scatter.getData(), axis))
    return std::nullopt;
  SmallVector<Value> parts = {withoutNormalisation(indices)};
  if (auto concat = parts.front().getDefiningOp<ConcatOp>()) {
    if (concat.getAxisFromFront() != axis + 1 || concat.getInterleave())
      return std::nullopt;
    parts.assign(concat.getValues().begin(), concat.getValues().end());
  }
  int64_t entry = 0;
  for (Value part : ArrayRef<Value>(parts).drop_back()) {
    // A column for each of these axes; folding may have put several into one constant.
    int64_t columns = shapeOf(part).back();
    SmallVector<int64_t> integers = integersOf(part);
    for (int64_t column = 0; column < columns; ++column, ++entry)
      if (entry >= axis || !countsAlong(integers, column, columns, shape.drop_back(), entry))
        return std::nullopt;
  }
  if (entry != axis || !variesAlong(parts.back(), axis))
    return std::nullopt;
  SmallVector<int64_t> first(shape.size(), 0);
  first.back() = axis;
  return Replacement{scatter.getUpdates(), elementsAlong(builder, indices, axis, first), axis};
}

static std::optional<Replacement> matchSelect(SelectOp select, Value old) {
  if (select.getB() != old || select.getA() == old)
    return std::nullopt;
  // The condition has one entry for each of the axis, in their order.
  ArrayRef<int64_t> state = shapeOf(old), cond = shapeOf(select.getCond());
  int64_t axis = -1;
  for (auto [i, size] : llvm::enumerate(cond))
    if (size != 1) {
      if (axis >= 0)
        return std::nullopt;
      axis = int64_t(state.size() - cond.size() + i);
    }
  if (cond.size() > state.size() || axis < 0 || countOf(select.getCond()) != state[axis] ||
      !isWindow(select.getA(), old, axis) || shapeOf(select.getA())[axis] != 1)
    return std::nullopt;
  Operation *test = select.getCond().getDefiningOp();
  while (isa_and_nonnull<ReshapeOp, ExpandDimsOp, SqueezeOp>(test))
    test = test->getOperand(0).getDefiningOp();
  auto equal = dyn_cast_or_null<EqualOp>(test);
  if (!equal)
    return std::nullopt;
  for (auto [count, position] : {std::pair(equal.getX(), equal.getY()), std::pair(equal.getY(), equal.getX())}) {
    SmallVector<int64_t> integers = integersOf(count);
    bool counts = int64_t(integers.size()) == state[axis];
    for (auto [i, integer] : llvm::enumerate(integers))
      counts &= integer == int64_t(i);
    if (counts && countOf(position) == 1 && !isConstantExpr(position))
      return Replacement{select.getA(), position, axis, /*skipOutside=*/true};
  }
  return std::nullopt;
}

namespace {
struct RaiseUpdate : OpRewritePattern<WriteStateOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(WriteStateOp write, PatternRewriter &rewriter) const override;
};
} // namespace

LogicalResult RaiseUpdate::matchAndRewrite(WriteStateOp write, PatternRewriter &rewriter) const {
  // From the old value, which only one op uses, through transposes to the op that changes it.
  ReadStateOp read;
  for (auto each : write->getBlock()->getOps<ReadStateOp>())
    if (each.getInput() == write.getInput()) {
      if (read)
        return failure();
      read = each;
    }
  if (!read || !read->hasOneUse())
    return failure();
  Value old = read.getResult();
  SmallVector<int64_t> perm = llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(old).size()));
  while (auto transpose = dyn_cast<TransposeOp>(*old.getUsers().begin())) {
    perm = llvm::map_to_vector(transpose.getPerm(), [&](int64_t axis) { return perm[axis]; });
    old = transpose.getResult();
    if (!old.hasOneUse())
      return failure();
  }
  Operation *changer = *old.getUsers().begin();
  if (changer->getBlock() != write->getBlock() || changer->getNumResults() != 1 ||
      changer->getResult(0).getType() != old.getType())
    return failure();

  // And back.
  Value next = write.getData();
  auto back = next.getDefiningOp<TransposeOp>();
  if (back && back != changer) {
    for (auto [i, axis] : llvm::enumerate(back.getPerm()))
      if (perm[axis] != int64_t(i))
        return failure();
    if (back.getX() != changer->getResult(0))
      return failure();
  } else if (next != changer->getResult(0) || !llvm::equal(perm, llvm::seq<int64_t>(0, perm.size()))) {
    return failure();
  }

  rewriter.setInsertionPoint(changer);
  std::optional<Replacement> window;
  if (auto scatter = dyn_cast<ScatterAlongAxisOp>(changer); scatter && scatter.getData() == old)
    window = matchScatter(scatter, rewriter);
  else if (auto scatter = dyn_cast<ScatterOp>(changer); scatter && scatter.getData() == old)
    window = matchScatter(scatter);
  else if (auto scatter = dyn_cast<ScatterNdOp>(changer); scatter && scatter.getData() == old)
    window = matchScatter(scatter, rewriter);
  else if (auto select = dyn_cast<SelectOp>(changer))
    window = matchSelect(select, old);
  if (!window)
    return failure();
  Location loc = changer->getLoc();
  Value inserted = window->window;
  if (back) {
    SmallVector<int64_t> inverse(back.getPerm());
    inserted = rewriter.create<TransposeOp>(loc, inserted, inverse);
  }
  auto updated = rewriter.create<UpdateStateOp>(loc, next.getType(), write.getInput(), inserted, window->position,
                                                perm[window->axis], window->skipOutside);
  // Others may read the next value before it is transposed back.
  if (back) {
    Value turned = rewriter.create<TransposeOp>(loc, updated.getResult(), perm);
    rewriter.replaceAllUsesWith(changer->getResult(0), turned);
  }
  rewriter.replaceAllUsesWith(next, updated.getResult());
  rewriter.eraseOp(write);
  if (back)
    rewriter.eraseOp(back);
  rewriter.eraseOp(changer);
  return success();
}

void mlir::ane::raise::populateStates(RewritePatternSet &patterns) { patterns.add<RaiseUpdate>(patterns.getContext()); }
