//===- LegalizeDType.cpp - engine bodies compute in fp16 ------------------===//

#include "ane/Constraint/Origin.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEDTYPE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// The nearest fp16 value. What fp16 can't hold becomes the finite mask value of the record: exporters write -3.4e38 or
/// -inf for "never attend", and an infinity would turn a fully masked row into NaN.
static APFloat toHalf(const APFloat &value, double maskValue) {
  APFloat half = value;
  bool lossy;
  half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lossy);
  if (!half.isInfinity())
    return half;
  APFloat mask(value.isNegative() ? -maskValue : maskValue);
  mask.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lossy);
  return mask;
}

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
  Value narrowConstant(Value constant, double maskValue);
  void narrowParameters(Operation *op, const TargetEnv &env);
};
} // namespace

/// A weight file holds no bool, so a large constant condition becomes bounds: those of a selected element are the range
/// of fp16, those of the others are both what stands there. Exact for every finite value.
static Value selectByBounds(SelectOp op, double largest) {
  EngineBuilder builder(op);
  Composer c(builder, op.getLoc());
  Value cond = op.getCond(), a = op.getA(), b = op.getB();
  Value high = c.scalar(a, largest), low = c.scalar(a, -largest);
  // `x` where the condition is `where`, `other` (a constant) elsewhere.
  auto bounded = [&](Value x, bool where, Value other) {
    auto bound = [&](Value limit) {
      return where ? c.make<SelectOp>(cond, limit, other) : c.make<SelectOp>(cond, other, limit);
    };
    return c.make<MinimumOp>(c.make<MaximumOp>(x, bound(low)), bound(high));
  };
  if (isConstantExpr(b))
    return bounded(a, true, b);
  if (isConstantExpr(a))
    return bounded(b, false, a);
  Value zero = c.scalar(a, 0);
  return c.add(bounded(a, true, zero), bounded(b, false, zero));
}

/// Constants are computed as the model has them and rounded once, where the program reads them.
Value LegalizeDType::narrowConstant(Value constant, double maskValue) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(constant);
  auto leaf = constant.getDefiningOp<ConstOp>();
  auto dense = leaf ? dyn_cast<DenseFPElementsAttr>(leaf.getValue()) : DenseFPElementsAttr();
  if (!dense) { // evaluated when the bundle is written
    auto cast = builder.create<CastOp>(constant.getLoc(), constant, builder.getF16Type());
    attrs::overflow.set(cast, builder.getF64FloatAttr(maskValue));
    return cast;
  }
  DenseElementsAttr narrowed = dense.mapValues(
      builder.getF16Type(), [&](const APFloat &value) { return toHalf(value, maskValue).bitcastToAPInt(); });
  return builder.create<ConstOp>(constant.getLoc(), narrowed);
}

/// Parameters are written as constants of the data's type. A bound that fp16 can't hold is none.
void LegalizeDType::narrowParameters(Operation *op, const TargetEnv &env) {
  double limit = isa<ClipOp>(op) ? env.numeric(Numeric::Fp16Max) : std::abs(env.numeric(Numeric::MaskValue));
  for (NamedAttribute attribute : op->getAttrs())
    if (auto number = dyn_cast<FloatAttr>(attribute.getValue()))
      if (double value = number.getValueAsDouble(); std::abs(value) >= halfOverflow)
        op->setAttr(attribute.getName(), FloatAttr::get(number.getType(), std::copysign(limit, value)));
}

void LegalizeDType::runOnOperation() {
  Region &engine = getOperation().getEngine();
  TargetEnv env = lookupTargetEnv(getOperation());
  double maskValue = std::abs(env.numeric(Numeric::MaskValue));
  for (auto select : llvm::make_early_inc_range(engine.front().getOps<SelectOp>())) {
    if (isConstantExpr(select.getOperation()) || !isConstantExpr(select.getCond()) ||
        select.getCond().getType().getNumElements() < inlineElements)
      continue;
    select.replaceAllUsesWith(selectByBounds(select, env.numeric(Numeric::Fp16Max)));
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
        half = narrowConstant(operand.get(), maskValue);
      operand.set(half);
    }
    if (auto cast = dyn_cast<CastOp>(op); cast && isWideFloat(getElementTypeOrSelf(cast.getType())))
      cast.setDtype("fp16");
    for (Value result : op->getResults())
      narrow(result);
    narrowParameters(op, env);
  }
}
