//===- Reduce.cpp - gradients of reductions -------------------------------===//

#include "../Rules.h"

using namespace mlir;
using namespace mlir::ane;

/// `value`, which has the shape of the op's result, with the reduced axes as size 1.
template <typename OpTy>
static Value withAxes(OpTy op, GradientBuilder &b, Value value) {
  SmallVector<int64_t> shape(tensorOf(op.getX()).getShape());
  for (int64_t axis : op.getReducedAxes())
    shape[axis] = 1;
  return b.reshape(value, shape);
}

namespace {
struct ReduceRules : RuleSet {
  static void apply(ReduceSumOp op, GradientBuilder &b) { b.accumulate(op.getX(), gradient(op, b)); }
  static void apply(ReduceMeanOp op, GradientBuilder &b) {
    double count = double(tensorOf(op.getX()).getNumElements()) / tensorOf(op).getNumElements();
    b.accumulate(op.getX(), b.div(gradient(op, b), count));
  }
  static void apply(ReduceSumSquareOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.mul(b.mul(gradient(op, b), op.getX()), 2.0));
  }
  static void apply(ReduceL1NormOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.mul(gradient(op, b), b.make<SignOp>(op.getX())));
  }
  /// A vector of zeros gets 0.
  static void apply(ReduceL2NormOp op, GradientBuilder &b) {
    Value length = result(op, b), unit = b.div(op.getX(), length);
    Value isZero = b.broadcastTo(b.compare<EqualOp>(length, 0), tensorOf(op.getX()).getShape());
    b.accumulate(op.getX(), b.make<SelectOp>(isZero, b.scalar(unit, 0), b.mul(gradient(op, b), unit)));
  }
  static void apply(ReduceLogSumOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.mul(gradient(op, b), b.make<ExpOp>(b.neg(result(op, b)))));
  }
  /// The gradient times the softmax.
  static void apply(ReduceLogSumExpOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.mul(gradient(op, b), b.make<ExpOp>(b.sub(op.getX(), result(op, b)))));
  }

  static void apply(ReduceMaxOp op, GradientBuilder &b) { extreme(op, b); }
  static void apply(ReduceMinOp op, GradientBuilder &b) { extreme(op, b); }

  /// The product of all other elements: where there is a zero, of it alone that of the others.
  static void apply(ReduceProdOp op, GradientBuilder &b) {
    Value x = op.getX();
    Value isZero = b.compare<EqualOp>(x, 0), filled = b.make<SelectOp>(isZero, b.scalar(x, 1), x);
    Value others = withAxes(op, b, b.make<ReduceProdOp>(filled, op.getAxesAttr(), op.getKeepDimsAttr()));
    Value zeros = b.sum(b.castLike(isZero, x), op.getReducedAxes());
    Value ofZeros = b.where(b.compare<EqualOp>(zeros, 1), others);
    Value ofOthers = b.div(b.where(b.compare<EqualOp>(zeros, 0), others), filled);
    b.accumulate(x, b.mul(gradient(op, b), b.make<SelectOp>(isZero, ofZeros, ofOthers)));
  }

  static void apply(CumsumOp op, GradientBuilder &b) {
    auto builder = Builder(op.getContext());
    b.accumulate(op.getX(), b.make<CumsumOp>(b.gradient(), op.getAxisAttr(), op.getExclusiveAttr(),
                                             builder.getBoolAttr(!op.getReverse())));
  }

private:
  template <typename OpTy>
  static Value gradient(OpTy op, GradientBuilder &b) {
    return withAxes(op, b, b.gradient());
  }
  template <typename OpTy>
  static Value result(OpTy op, GradientBuilder &b) {
    return withAxes(op, b, op);
  }
  /// Equal elements share the gradient.
  template <typename OpTy>
  static void extreme(OpTy op, GradientBuilder &b) {
    Value isTaken = b.castLike(b.make<EqualOp>(op.getX(), result(op, b)), op);
    Value share = b.div(gradient(op, b), b.sum(isTaken, op.getReducedAxes()));
    b.accumulate(op.getX(), b.mul(isTaken, share));
  }
};
} // namespace

void mlir::ane::attachReduceRules(MLIRContext *context) {
  attachRules<ReduceRules, ReduceSumOp, ReduceMeanOp, ReduceSumSquareOp, ReduceL1NormOp, ReduceL2NormOp, ReduceLogSumOp,
              ReduceLogSumExpOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, CumsumOp>(context);
  attachConstant<ReduceArgmaxOp, ReduceArgminOp, ArgsortOp>(context);
}
