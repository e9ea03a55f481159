//===- Rope.cpp - rotary position embedding -------------------------------===//

#include "Raise.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

static constexpr int64_t maxTable = 1 << 22; // elements of a table that are compared

/// Whether `value` takes [begin, begin + size) of the last axis of `x` and all of the others.
static bool isLastAxisSlice(Value value, Value x, int64_t begin, int64_t size) {
  auto slice = value.getDefiningOp<SliceBySizeOp>();
  if (!slice || slice.getX() != x)
    return false;
  auto ranges = slice.getRanges();
  for (auto [dim, range] : llvm::enumerate(ArrayRef(ranges).drop_back()))
    if (range.begin != 0 || range.size != shapeOf(x)[dim])
      return false;
  return ranges.back().begin == begin && ranges.back().size == size;
}

/// x if `value` is concat(-x[..., D/2:], x[..., :D/2]).
static Value matchRotateHalf(Value value) {
  auto concat = value.getDefiningOp<ConcatOp>();
  if (!concat || concat.getValues().size() != 2 || concat.getInterleave())
    return nullptr;
  int64_t rank = typeOf(value).getRank(), width = shapeOf(value).back(), half = width / 2;
  if (concat.getAxisFromFront() != rank - 1 || width % 2)
    return nullptr;
  auto neg = concat.getValues()[0].getDefiningOp<NegOp>();
  auto low = concat.getValues()[1].getDefiningOp<SliceBySizeOp>();
  if (!neg || !low)
    return nullptr;
  Value x = low.getX();
  bool matches =
      shapeOf(x) == shapeOf(value) && isLastAxisSlice(low, x, 0, half) && isLastAxisSlice(neg.getX(), x, half, half);
  return matches ? x : Value();
}

/// Whether the halves of a constant table's last axis are equal.
static bool hasEqualHalves(Value table, int64_t width) {
  ArrayRef<int64_t> shape = shapeOf(table);
  std::optional<SmallVector<double>> values = evaluateDoubles(table, maxTable);
  if (!values || shape.empty() || shape.back() != width)
    return false;
  for (size_t row = 0; row < values->size(); row += width)
    if (ArrayRef(*values).slice(row, width / 2) != ArrayRef(*values).slice(row + width / 2, width / 2))
      return false;
  return true;
}

static Value firstHalf(PatternRewriter &rewriter, Value table, int64_t width) {
  ArrayRef<int64_t> shape = shapeOf(table);
  SmallVector<int64_t> begin(shape.size(), 0), size(shape);
  size.back() = width / 2;
  return rewriter.create<SliceBySizeOp>(table.getLoc(), table, begin, size);
}

namespace {
/// x * cos + rotate_half(x) * sin, with tables that hold each angle twice.
struct RaiseRope : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (auto [plain, turned] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())}) {
      auto first = plain.getDefiningOp<MulOp>(), second = turned.getDefiningOp<MulOp>();
      if (!first || !second)
        return failure();
      for (auto [rotated, sin] : {std::pair(second.getX(), second.getY()), std::pair(second.getY(), second.getX())}) {
        Value x = matchRotateHalf(rotated);
        if (!x || x.getType() != op.getType() || (first.getX() != x && first.getY() != x))
          continue;
        Value cos = first.getX() == x ? first.getY() : first.getX();
        if (!isConstantExpr(cos) || !isConstantExpr(sin))
          continue;
        int64_t width = shapeOf(x).back();
        if (!hasEqualHalves(cos, width) || !hasEqualHalves(sin, width))
          return failure();
        Value halfCos = firstHalf(rewriter, cos, width), halfSin = firstHalf(rewriter, sin, width);
        rewriter.replaceOpWithNewOp<RopeOp>(op, x, halfCos, halfSin, "half");
        return success();
      }
    }
    return failure();
  }
};
} // namespace

void raise::populateRope(RewritePatternSet &patterns) { patterns.add<RaiseRope>(patterns.getContext()); }
