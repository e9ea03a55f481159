//===- Softmax.cpp - softmax and log_softmax ------------------------------===//

#include "Raise.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

/// The axis of a reduction over one axis that stays with size 1.
template <typename Op>
static std::optional<int64_t> keptAxis(Op op) {
  if (!op || !op.getKeepDims() || !op.getAxes() || op.getAxes()->size() != 1)
    return std::nullopt;
  return op.getAxesFromFront().front();
}

namespace {
/// x - max(x) along an axis.
struct Shifted {
  Value x;
  int64_t axis;
};
} // namespace

static std::optional<Shifted> matchShifted(Value value) {
  auto sub = value.getDefiningOp<SubOp>();
  auto max = sub ? sub.getY().getDefiningOp<ReduceMaxOp>() : ReduceMaxOp();
  std::optional<int64_t> axis = keptAxis(max);
  if (!axis || max.getX() != sub.getX())
    return std::nullopt;
  return Shifted{sub.getX(), *axis};
}

/// The argument of e^x if `value` is the sum of it along an axis.
static Value matchSumOfPowers(Value value, int64_t axis) {
  auto sum = value.getDefiningOp<ReduceSumOp>();
  auto exp = sum && keptAxis(sum) == axis ? sum.getX().getDefiningOp<ExpOp>() : ExpOp();
  return exp ? exp.getX() : Value();
}

namespace {
/// e^(x - max(x)) / sum(e^(x - max(x))).
struct RaiseSoftmax : OpRewritePattern<RealDivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(RealDivOp op, PatternRewriter &rewriter) const override {
    auto exp = op.getX().getDefiningOp<ExpOp>();
    std::optional<Shifted> shifted = exp ? matchShifted(exp.getX()) : std::nullopt;
    if (!shifted || matchSumOfPowers(op.getY(), shifted->axis) != exp.getX())
      return rewriter.notifyMatchFailure(op, "no softmax");
    rewriter.replaceOpWithNewOp<SoftmaxOp>(op, shifted->x, shifted->axis);
    return success();
  }
};

/// (x - max(x)) - log(sum(e^(x - max(x)))).
struct RaiseLogSoftmax : OpRewritePattern<SubOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SubOp op, PatternRewriter &rewriter) const override {
    std::optional<Shifted> shifted = matchShifted(op.getX());
    auto log = op.getY().getDefiningOp<LogOp>();
    if (!shifted || !log || matchSumOfPowers(log.getX(), shifted->axis) != op.getX())
      return rewriter.notifyMatchFailure(op, "no log_softmax");
    rewriter.replaceOpWithNewOp<LogSoftmaxOp>(op, shifted->x, shifted->axis);
    return success();
  }
};
} // namespace

void raise::populateSoftmax(RewritePatternSet &patterns) {
  patterns.add<RaiseSoftmax, RaiseLogSoftmax>(patterns.getContext());
}
