//===- Activation.cpp - activation functions ------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;

/// An activation with per-channel parameters: x [N, C, D...] and parameters [C].
static LogicalResult inferPerChannel(OptionalLoc loc, Value x, ArrayRef<std::pair<StringRef, Value>> parameters,
                                     Types &types) {
  if (failed(checkTensors(loc, x)))
    return failure();
  if (tensorOf(x).getRank() < 2)
    return emitOptionalError(loc, "x needs a channel axis 1, but has rank ", tensorOf(x).getRank());
  for (auto [name, parameter] : parameters)
    if (failed(checkTensors(loc, parameter)) || failed(checkChannels(loc, name, parameter, tensorOf(x).getDimSize(1))))
      return failure();
  return inferSameAs(x, types);
}

LogicalResult PreluOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferPerChannel(loc, adaptor.getX(), {{"alpha", adaptor.getAlpha()}}, types);
}

LogicalResult SoftplusParametricOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferPerChannel(loc, adaptor.getX(), {{"alpha", adaptor.getAlpha()}, {"beta", adaptor.getBeta()}}, types);
}

LogicalResult GeluOp::verify() {
  if (llvm::is_contained({"EXACT", "TANH_APPROXIMATION", "SIGMOID_APPROXIMATION"}, getMode()))
    return success();
  return emitOpError() << "mode is '" << getMode() << "', expected EXACT, TANH_APPROXIMATION or SIGMOID_APPROXIMATION";
}

OpFoldResult ReluOp::fold(FoldAdaptor) {
  return getX().getDefiningOp<ReluOp>() ? OpFoldResult(getX()) : OpFoldResult();
}

//===-- decompositions ----------------------------------------------------===//

FailureOr<SmallVector<Value>> SiluOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  return SmallVector<Value>{c.mul(getX(), c.make<SigmoidOp>(getX()))};
}

FailureOr<SmallVector<Value>> GeluOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  Value x = getX();
  if (getMode() == "SIGMOID_APPROXIMATION")
    return SmallVector<Value>{c.mul(x, c.make<SigmoidOp>(c.mul(x, 1.702)))};
  Value inner;
  if (getMode() == "TANH_APPROXIMATION") {
    Value cube = c.mul(c.mul(x, x), x);
    inner = c.make<TanhOp>(c.mul(c.add(x, c.mul(cube, 0.044715)), 0.79788456080286535588)); // sqrt(2 / pi)
  } else {
    inner = c.make<ErfOp>(c.mul(x, 0.70710678118654752440)); // 1 / sqrt 2
  }
  return SmallVector<Value>{c.mul(c.mul(x, 0.5), c.add(inner, 1.0))};
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  // The maximum goes first: x - log(sum(e^x)) would lose what a large x has behind the point.
  auto axis = builder.getDenseI64ArrayAttr({getAxis()});
  Value x = c.sub(getX(), c.make<ReduceMaxOp>(getX(), axis, builder.getBoolAttr(true)));
  Value sum = c.make<ReduceSumOp>(c.make<ExpOp>(x), axis, builder.getBoolAttr(true));
  // The largest element adds 1.
  Value bounded = c.make<MaximumOp>(sum, c.scalar(sum, 1.0));
  return SmallVector<Value>{c.sub(x, c.make<LogOp>(bounded, builder.getF64FloatAttr(0)))};
}

FailureOr<SmallVector<Value>> HardSwishOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  Value gate = c.make<SigmoidHardOp>(getX(), builder.getF64FloatAttr(1.0 / 6.0), builder.getF64FloatAttr(0.5));
  return SmallVector<Value>{c.mul(getX(), gate)};
}

FailureOr<SmallVector<Value>> MishOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  return SmallVector<Value>{c.mul(getX(), c.make<TanhOp>(c.make<SoftplusOp>(getX())))};
}
