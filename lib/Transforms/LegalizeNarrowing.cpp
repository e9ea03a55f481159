//===- LegalizeNarrowing.cpp - what programs have of narrowed values ------===//
//
// First of all, so that no other pass meets a number that fp16 does not hold. The table of ane.narrow says what becomes
// of each; a mask that the CPU computes is narrowed where it enters the program (ane.mask_rows).
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Narrowing.h"
#include "ane/Constraint/Origin.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Rebuild.h"
#include "ane/IR/WeightFacts.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZENARROWING
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LegalizeNarrowing : mlir::ane::impl::LegalizeNarrowingBase<LegalizeNarrowing> {
  using LegalizeNarrowingBase::LegalizeNarrowingBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    Block &body = getOperation().getEngine().front();
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (auto narrow = dyn_cast<NarrowOp>(op))
        narrowed(narrow, env);
      else if (auto mul = dyn_cast<MulOp>(op); mul && scaleSquare(mul))
        continue;
      else if (!isConstantExpr(&op))
        visitReader(&op);
    }
    for (NarrowOp narrow : llvm::make_early_inc_range(body.getOps<NarrowOp>())) {
      narrow.replaceAllUsesWith(narrow.getX());
      narrow.erase();
    }
  }

private:
  /// x * x * c as x * c * x, where c makes numbers smaller: what does not overflow at the end does not on its way. Both
  /// lose as many digits of what is small.
  static bool scaleSquare(MulOp op) {
    for (auto [product, factor] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())}) {
      auto square = product.getDefiningOp<MulOp>();
      std::optional<double> scale = getSplat(factor);
      if (!square || square.getX() != square.getY() || isConstantExpr(square.getOperation()) || !scale ||
          std::abs(*scale) >= 1 || cast<RankedTensorType>(factor.getType()).getNumElements() != 1)
        continue;
      EngineBuilder builder(op);
      Composer b(builder, op.getLoc());
      auto scaled = b.make<MulOp>(square.getX(), factor).getDefiningOp<MulOp>();
      op.replaceAllUsesWith(b.mul(scaled, square.getX()));
      op.erase();
      if (square.use_empty())
        square.erase();
      visitReader(scaled); // the factor may be one to rescale
      return true;
    }
    return false;
  }

  static NarrowOp reasonOf(Value operand, StringRef because) {
    auto narrow = operand.getDefiningOp<NarrowOp>();
    return narrow && narrow.getBecause() == because ? narrow : NarrowOp();
  }

  static void visitReader(Operation *op) {
    for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
      if (NarrowOp narrow = reasonOf(operand, "rescaled"))
        return rescale(op, i, narrow.getX());
      if (reasonOf(operand, "bound")) {
        Value other = op->getOperand(1 - i);
        // The bound may have given the result its shape.
        if (other.getType() == op->getResult(0).getType()) {
          op->replaceAllUsesWith(ValueRange(other));
          op->erase();
        }
        return;
      }
    }
  }

  /// op(x, c) as op(x, c / s) and a product with s, a power of two: in this order, so that nothing overflows which does
  /// not at the end, and nothing vanishes.
  static void rescale(Operation *op, unsigned i, Value constant) {
    int exponent = *scaleOf(factsOfConstant(constant)->largestMagnitude());
    EngineBuilder builder(op);
    Composer b(builder, op->getLoc());
    SmallVector<Value> operands(op->getOperands());
    operands[i] = b.mul(constant, std::ldexp(1.0, -exponent));
    bool divides = isa<RealDivOp>(op) && i == 1;
    double scale = std::ldexp(1.0, divides ? -exponent : exponent);
    Value bias = takeBias(op, operands);
    Value value = rebuild(builder, op, operands)->getResult(0);
    value = b.mul(value, scale);
    if (bias)
      value = b.add(value, isa<ConvOp>(op) ? b.perChannel(bias, value) : bias);
    op->replaceAllUsesWith(ValueRange(value));
    op->erase();
  }

  /// The bias of a product, which is not scaled; the op is left without.
  static Value takeBias(Operation *op, SmallVector<Value> &operands) {
    if (!isa<LinearOp, ConvOp>(op) || operands.size() < 3)
      return {};
    return operands.pop_back_val();
  }

  static void narrowed(NarrowOp op, const TargetEnv &env) {
    EngineBuilder builder(op);
    Composer b(builder, op.getLoc());
    Value x = op.getX(), value = x;
    StringRef because = op.getBecause();
    if (because == "masked_rows")
      value = b.mul(x, op.getFactor());
    else if (because == "mask" && isConstantExpr(x)) {
      if (std::optional<int64_t> axis = op.getAxis())
        value = b.sub(x, b.make<ReduceMaxOp>(x, builder.getDenseI64ArrayAttr({*axis}), true));
      value = b.make<MaximumOp>(value, b.scalar(value, env.numeric(Numeric::MaskValue)));
    } else if (because == "guard") {
      bool isNegative = factsOfConstant(x)->range.high <= 0;
      Value smallest = b.scalar(x, std::copysign(smallestHalf, isNegative ? -1 : 1));
      value = isNegative ? b.make<MinimumOp>(x, smallest) : b.make<MaximumOp>(x, smallest);
    } else
      return;
    op.replaceAllUsesWith(value);
    op.erase();
  }
};
} // namespace
