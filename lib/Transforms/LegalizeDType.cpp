//===- LegalizeDType.cpp - engine bodies compute in fp16 ------------------===//

#include "ane/Constraint/Origin.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Transforms/Passes.h"
#include <cmath>

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEDTYPE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static bool isWideFloat(Type type) { return isa<FloatType>(type) && !type.isF16(); }

namespace {
struct LegalizeDType : mlir::ane::impl::LegalizeDTypeBase<LegalizeDType> {
  using LegalizeDTypeBase::LegalizeDTypeBase;
  void runOnOperation() override;

private:
  void narrow(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (isWideFloat(type.getElementType()))
      value.setType(type.clone(Float16Type::get(&getContext())));
  }
  Value narrowConstant(Value constant);
  static void narrowBounds(Operation *op, const TargetEnv &env);
};
} // namespace

/// A weight file holds no bool, so a large constant condition becomes factors of 1 and 0. What is infinite stays to be
/// seen, as NaN where it is not selected, so that the runtime finds it.
static Value selectByFactors(SelectOp op) {
  EngineBuilder builder(op);
  Composer c(builder, op.getLoc());
  Value cond = op.getCond(), zero = c.scalar(op.getA(), 0), one = c.scalar(op.getA(), 1);
  // `x` where the condition is `where`, 0 elsewhere.
  auto part = [&](Value x, bool where) -> Value {
    bool isConstant = isConstantExpr(x);
    Value selected = isConstant ? x : one;
    Value factor = where ? c.make<SelectOp>(cond, selected, zero) : c.make<SelectOp>(cond, zero, selected);
    return isConstant ? factor : c.make<MulOp>(x, factor);
  };
  return c.add(part(op.getA(), true), part(op.getB(), false));
}

/// Constants are computed as the model has them and rounded once, where the program reads them.
Value LegalizeDType::narrowConstant(Value constant) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(constant);
  auto leaf = constant.getDefiningOp<ConstOp>();
  auto dense = leaf ? dyn_cast<DenseFPElementsAttr>(leaf.getValue()) : DenseFPElementsAttr();
  if (!dense) { // evaluated when the bundle is written
    auto cast = builder.create<CastOp>(constant.getLoc(), constant, builder.getF16Type());
    attrs::overflow.set(cast, builder.getF64FloatAttr(HUGE_VAL));
    return cast;
  }
  DenseElementsAttr narrowed = dense.mapValues(builder.getF16Type(), [&](const APFloat &value) {
    APFloat half = value;
    bool lossy;
    half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lossy);
    return half.bitcastToAPInt();
  });
  return builder.create<ConstOp>(constant.getLoc(), narrowed);
}

/// Parameters are written as constants of the data's type, which a bound that no number of fp16 exceeds can't be: clip
/// without it is a maximum, a minimum or nothing. A bound below fp16's numbers, which keeps a divisor from being 0, is
/// the smallest of them.
void LegalizeDType::narrowBounds(Operation *op, const TargetEnv &env) {
  auto held = [](double bound) {
    return bound != 0 && std::abs(bound) < smallestHalf ? std::copysign(smallestHalf, bound) : bound;
  };
  double most = env.numeric(Numeric::Fp16Max), low = -HUGE_VAL, high = HUGE_VAL;
  if (auto clip = dyn_cast<ClipOp>(op)) {
    low = held(clip.getAlpha().convertToDouble());
    high = held(clip.getBeta().convertToDouble());
  } else if (auto threshold = dyn_cast<ThresholdOp>(op)) {
    low = held(threshold.getAlpha().convertToDouble());
  } else if (auto pad = dyn_cast<PadOp>(op)) {
    double value = pad.getConstantVal().convertToDouble();
    if (std::abs(value) > most) // maxima read it (unheldParameter)
      pad.setConstantVal(APFloat(std::copysign(most, value)));
    return;
  } else {
    return;
  }
  if (low >= -most && high <= most) {
    OpBuilder builder(op);
    op->setAttr("alpha", builder.getF64FloatAttr(low));
    if (isa<ClipOp>(op))
      op->setAttr("beta", builder.getF64FloatAttr(high));
    return;
  }
  if (isa<ThresholdOp>(op) && low >= -most)
    return;
  EngineBuilder builder(op);
  Composer b(builder, op->getLoc());
  Value value = op->getOperand(0);
  if (low >= -most)
    value = b.make<MaximumOp>(value, b.scalar(value, low));
  if (high <= most)
    value = b.make<MinimumOp>(value, b.scalar(value, high));
  op->replaceAllUsesWith(ValueRange(value));
  op->erase();
}

void LegalizeDType::runOnOperation() {
  Region &engine = getOperation().getEngine();
  TargetEnv env = lookupTargetEnv(getOperation());
  for (auto select : llvm::make_early_inc_range(engine.front().getOps<SelectOp>())) {
    if (isConstantExpr(select.getOperation()) || !isConstantExpr(select.getCond()) ||
        select.getCond().getType().getNumElements() < inlineElements)
      continue;
    select.replaceAllUsesWith(selectByFactors(select));
    select.erase();
  }
  SmallVector<Operation *> computed;
  for (Operation &op : engine.front())
    if (!isConstantExpr(&op))
      computed.push_back(&op);
  for (BlockArgument argument : engine.getArguments())
    narrow(argument);
  llvm::DenseMap<Value, Value> narrowed;
  for (Operation *op : computed) {
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isConstantExpr(operand.get()) || !isWideFloat(getElementTypeOrSelf(operand.get())))
        continue;
      Value &half = narrowed[operand.get()];
      if (!half)
        half = narrowConstant(operand.get());
      operand.set(half);
    }
    if (auto cast = dyn_cast<CastOp>(op); cast && isWideFloat(getElementTypeOrSelf(cast.getType())))
      cast.setDtype("fp16");
    for (Value result : op->getResults())
      narrow(result);
    narrowBounds(op, env);
  }
}
