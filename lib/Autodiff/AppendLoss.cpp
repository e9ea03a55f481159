//===- AppendLoss.cpp - losses for models without one ---------------------===//

#include "Names.h"
#include "ane/Autodiff/Passes.h"
#include "ane/IR/Builders.h"
#include "ane/IR/Inference.h"

namespace mlir::ane {
#define GEN_PASS_DEF_APPENDLOSS
#include "ane/Autodiff/AutodiffPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct AppendLoss : mlir::ane::impl::AppendLossBase<AppendLoss> {
  using AppendLossBase::AppendLossBase;

  /// The mean over all elements, a scalar.
  Value mean(Composer &c, OpBuilder &b, Value x) {
    return c.make<ReduceMeanOp>(x, DenseI64ArrayAttr(), b.getBoolAttr(false));
  }
  Value sum(Composer &c, OpBuilder &b, Value x) {
    return c.make<ReduceSumOp>(x, DenseI64ArrayAttr(), b.getBoolAttr(false));
  }

  Value crossEntropy(Composer &c, OpBuilder &b, Value logits, Value labels, int64_t axis) {
    Value counts = c.make<NotEqualOp>(labels, c.scalar(labels, double(ignore)));
    SmallVector<int64_t> along(tensorOf(logits).getShape());
    along[axis] = 1;
    Value classes = c.reshape(c.make<SelectOp>(counts, labels, c.scalar(labels, 0)), along);
    Value taken = c.make<GatherAlongAxisOp>(c.make<LogSoftmaxOp>(logits, axis), classes, axis);
    Value picked = c.reshape(taken, tensorOf(labels).getShape());
    Value total = sum(c, b, c.make<SelectOp>(counts, picked, c.scalar(picked, 0)));
    Value number = sum(c, b, c.castLike(counts, picked));
    return c.make<NegOp>(c.div(total, c.make<MaximumOp>(number, c.scalar(number, 1))));
  }

  LogicalResult run() {
    func::FuncOp target = findFunction(getOperation(), function);
    if (!target)
      return failure();
    auto isFloat = [](RankedTensorType type) { return isa<FloatType>(type.getElementType()); };
    FailureOr<unsigned> index = findOutput(target, output, isFloat, "a tensor of floats");
    if (failed(index))
      return failure();
    if (!llvm::is_contained({"cross-entropy", "mse", "bce"}, StringRef(kind)))
      return target.emitError() << "kind=" << kind << ": expected cross-entropy, mse or bce";
    Operation *end = target.getBody().front().getTerminator();
    OpBuilder b(end);
    Composer c(b, end->getLoc());
    Value x = end->getOperand(*index);
    auto type = tensorOf(x);
    RankedTensorType wide = type.clone(type.getElementType().isF64() ? type.getElementType() : b.getF32Type());
    RankedTensorType expected = wide;
    FailureOr<int64_t> along = int64_t(0);
    if (kind == "cross-entropy") {
      along = normalizeAxis(target.getLoc(), axis, type.getRank());
      if (failed(along))
        return failure();
      SmallVector<int64_t> shape(type.getShape());
      shape.erase(shape.begin() + *along);
      expected = RankedTensorType::get(shape, b.getI64Type());
    }
    for (unsigned i = 0; i < target.getNumArguments(); ++i)
      if (inputName(target, i) == this->target)
        return target.emitError() << "target=" << this->target << ": the function has an input of that name";
    for (unsigned i = 0; i < target.getNumResults(); ++i)
      if (outputName(target, i) == "loss")
        return target.emitError() << "an output is called 'loss' already: differentiate that one";
    Value wanted = addInputs(target, {{this->target, expected}}).front(), loss;
    x = wide == type ? x : c.make<CastOp>(x, wide.getElementType());
    if (kind == "cross-entropy")
      loss = crossEntropy(c, b, x, wanted, *along);
    else if (kind == "mse")
      loss = mean(c, b, c.make<SquareOp>(c.sub(x, wanted)));
    else
      loss = mean(c, b, c.sub(c.make<SoftplusOp>(x), c.mul(x, wanted)));
    addOutputs(target, loss, {"loss"});
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
