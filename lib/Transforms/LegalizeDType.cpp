//===- LegalizeDType.cpp - engine bodies compute in fp16 ------------------===//

#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
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
struct LegalizeDType : ane::impl::LegalizeDTypeBase<LegalizeDType> {
  using LegalizeDTypeBase::LegalizeDTypeBase;
  void runOnOperation() override;

private:
  void narrow(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    if (isWideFloat(type.getElementType()))
      value.setType(type.clone(Float16Type::get(&getContext())));
  }
  Value narrowConstant(Value constant, double maskValue);
};
} // namespace

/// Constants are computed as the model has them and rounded once, where the program reads them.
Value LegalizeDType::narrowConstant(Value constant, double maskValue) {
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfterValue(constant);
  auto leaf = constant.getDefiningOp<ConstOp>();
  auto dense = leaf ? dyn_cast<DenseFPElementsAttr>(leaf.getValue()) : DenseFPElementsAttr();
  if (!dense) { // evaluated when the bundle is written
    auto cast = builder.create<CastOp>(constant.getLoc(), constant, builder.getF16Type());
    cast->setAttr(overflowAttrName, builder.getF64FloatAttr(maskValue));
    return cast;
  }
  DenseElementsAttr narrowed = dense.mapValues(builder.getF16Type(), [&](const APFloat &value) {
    return toHalf(value, maskValue).bitcastToAPInt();
  });
  return builder.create<ConstOp>(constant.getLoc(), narrowed);
}

void LegalizeDType::runOnOperation() {
  Region &engine = getOperation().getEngine();
  double maskValue = std::abs(lookupTargetEnv(getOperation()).numeric(Numeric::MaskValue));
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
  }
}
