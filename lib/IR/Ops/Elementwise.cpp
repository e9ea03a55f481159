//===- Elementwise.cpp - element-wise arithmetic --------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "ane/IR/Inference.h"
#include "ane/IR/Matchers.h"
#include "ane/IR/Training.h"

using namespace mlir;
using namespace mlir::ane;

//===-- inference and verification ----------------------------------------===//

LogicalResult SelectOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  Value cond = adaptor.getCond(), a = adaptor.getA(), b = adaptor.getB();
  if (failed(checkTensors(loc, {cond, a, b})) || failed(checkSameElementType(loc, "a", a, "b", b)))
    return failure();
  auto shape = broadcastShapes(loc, tensorOf(a).getShape(), tensorOf(b).getShape());
  if (succeeded(shape))
    shape = broadcastShapes(loc, tensorOf(cond).getShape(), *shape);
  if (failed(shape))
    return failure();
  return pushResult(loc, types, *shape, tensorOf(a).getElementType());
}

LogicalResult ClipOp::verify() {
  double alpha = getAlpha().convertToDouble(), beta = getBeta().convertToDouble();
  // MIL wants alpha < beta from ios17 on (coreml-mlprogram.md 3).
  if (alpha < beta)
    return success();
  return emitOpError() << "lower bound alpha " << alpha << " must be below upper bound beta " << beta;
}

//===-- folders -----------------------------------------------------------===//

/// `value`, where it already is what an op with `result` computes.
static OpFoldResult foldTo(Value value, Value result) {
  return value.getType() == result.getType() ? OpFoldResult(value) : OpFoldResult();
}

/// x, if op(x) undoes the op that defines x.
template <typename OpTy>
static OpFoldResult foldInvolution(OpTy op) {
  auto inner = op.getX().template getDefiningOp<OpTy>();
  return inner ? OpFoldResult(inner.getX()) : OpFoldResult();
}

/// One that training needs stays until its functions are made.
OpFoldResult IdentityOp::fold(FoldAdaptor) {
  bool isMarked = attrs::stopsGradient.isOn(*this) || attrs::parameterName.isOn(*this);
  return isMarked ? OpFoldResult() : OpFoldResult(getX());
}
OpFoldResult NegOp::fold(FoldAdaptor) { return foldInvolution(*this); }
OpFoldResult LogicalNotOp::fold(FoldAdaptor) { return foldInvolution(*this); }

/// The neutral element of a floating-point sum is -0: x + 0 turns -0 into +0.
static bool isNeutralAddend(Attribute attr) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(attr);
  return dense && isSplatOf(attr, isa<FloatType>(dense.getElementType()) ? -0.0 : 0.0);
}

OpFoldResult AddOp::fold(FoldAdaptor adaptor) {
  if (isNeutralAddend(adaptor.getY()))
    return foldTo(getX(), getResult());
  if (isNeutralAddend(adaptor.getX()))
    return foldTo(getY(), getResult());
  return {};
}

OpFoldResult SubOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getY(), 0.0) ? foldTo(getX(), getResult()) : OpFoldResult();
}

OpFoldResult MulOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getY(), 1.0))
    return foldTo(getX(), getResult());
  if (isSplatOf(adaptor.getX(), 1.0))
    return foldTo(getY(), getResult());
  // 0 * x is 0 for integers only: a float may be infinite or NaN.
  auto dense = dyn_cast_if_present<DenseElementsAttr>(adaptor.getY());
  if (dense && isa<IntegerType>(dense.getElementType()) && isSplatOf(dense, 0.0))
    return DenseElementsAttr::get(getType(), dense.getSplatValue<APInt>());
  return {};
}

OpFoldResult RealDivOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getY(), 1.0) ? foldTo(getX(), getResult()) : OpFoldResult();
}

OpFoldResult FloorDivOp::fold(FoldAdaptor adaptor) {
  // Floats are rounded down even when divided by 1.
  bool integers = isa<IntegerType>(getType().getElementType());
  return integers && isSplatOf(adaptor.getY(), 1.0) ? foldTo(getX(), getResult()) : OpFoldResult();
}

OpFoldResult PowOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getY(), 1.0) ? foldTo(getX(), getResult()) : OpFoldResult();
}

/// x, if op(x, y) is x whenever both are the same value.
template <typename OpTy>
static OpFoldResult foldIdempotent(OpTy op) {
  return op.getX() == op.getY() ? OpFoldResult(op.getX()) : OpFoldResult();
}

OpFoldResult MaximumOp::fold(FoldAdaptor) { return foldIdempotent(*this); }
OpFoldResult MinimumOp::fold(FoldAdaptor) { return foldIdempotent(*this); }

OpFoldResult LogicalAndOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getY(), 1.0) ? foldTo(getX(), getResult()) : foldIdempotent(*this);
}

OpFoldResult LogicalOrOp::fold(FoldAdaptor adaptor) {
  return isSplatOf(adaptor.getY(), 0.0) ? foldTo(getX(), getResult()) : foldIdempotent(*this);
}

OpFoldResult SelectOp::fold(FoldAdaptor adaptor) {
  if (isSplatOf(adaptor.getCond(), 1.0))
    return foldTo(getA(), getResult());
  if (isSplatOf(adaptor.getCond(), 0.0))
    return foldTo(getB(), getResult());
  if (getA() == getB())
    return foldTo(getA(), getResult());
  auto inverted = getCond().getDefiningOp<LogicalNotOp>();
  if (!inverted)
    return {};
  Value a = getA(), b = getB();
  getCondMutable().assign(inverted.getX());
  getAMutable().assign(b);
  getBMutable().assign(a);
  return getResult();
}

//===-- decompositions ----------------------------------------------------===//

FailureOr<SmallVector<Value>> NegOp::decompose(OpBuilder &builder) {
  // An unsigned integer has no -1.
  if (getType().getElementType().isUnsignedInteger())
    return failure();
  return SmallVector<Value>{Composer(builder, getLoc()).mul(getX(), -1.0)};
}

FailureOr<SmallVector<Value>> ReciprocalOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  return SmallVector<Value>{c.div(c.scalar(getX(), 1.0), getX())};
}

FailureOr<SmallVector<Value>> AcoshOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  auto log = [&](Value value) { return c.make<LogOp>(value, builder.getF64FloatAttr(0)); };
  // Two logarithms, as x (1 + root) may be twice as large as x.
  Value x = getX(), inverse = c.div(c.scalar(x, 1.0), x);
  Value root = c.make<SqrtOp>(c.sub(c.scalar(x, 1.0), c.mul(inverse, inverse)));
  return SmallVector<Value>{c.add(log(x), log(c.add(root, 1.0)))};
}

/// The sum of coefficients times powers of `x`, from 0 on.
static Value polynomial(Composer &c, Value x, ArrayRef<double> coefficients) {
  Value sum = c.scalar(x, coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = c.add(c.mul(sum, x), coefficient);
  return sum;
}

FailureOr<SmallVector<Value>> AsinhOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  // |x| and 1 over the larger of them: neither square exceeds 1.
  Value size = c.make<AbsOp>(getX()), one = c.scalar(size, 1.0), larger = c.make<MaximumOp>(size, one);
  Value x = c.div(size, larger), unit = c.div(one, larger);
  Value root = c.make<SqrtOp>(c.add(c.mul(x, x), c.mul(unit, unit)));
  auto log = [&](Value value) { return c.make<LogOp>(value, builder.getF64FloatAttr(0)); };
  // The sum is 1 or more: x is 1, or unit is.
  Value sum = c.make<MaximumOp>(c.add(x, root), one);
  // Near 0 the logarithm is of a number near 1, of which fp16 has no digits: there it is a series in x^2.
  Value bounded = c.make<MinimumOp>(size, one);
  Value square = c.mul(bounded, bounded);
  Value series =
      c.mul(bounded, polynomial(c, square, {1.0, -1.0 / 6, 3.0 / 40, -5.0 / 112, 35.0 / 1152, -63.0 / 2816}));
  Value isSmall = c.make<LessOp>(size, c.scalar(size, 0.5));
  Value result = c.make<SelectOp>(isSmall, series, c.add(log(larger), log(sum)));
  return SmallVector<Value>{c.mul(c.make<SignOp>(getX()), result)};
}
