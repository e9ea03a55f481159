//===- LegalizeDType.cpp - engine bodies compute in fp16 ------------------===//

#include "ane/Constraint/TargetEnv.h"
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
  void narrowConstant(ConstOp op, double maskValue);
};
} // namespace

void LegalizeDType::narrowConstant(ConstOp op, double maskValue) {
  auto type = cast<RankedTensorType>(op.getType());
  if (!isWideFloat(type.getElementType()))
    return;
  OpBuilder builder(op);
  builder.setInsertionPointAfter(op);
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    Type half = builder.getF16Type();
    DenseElementsAttr narrowed = cast<DenseFPElementsAttr>(dense).mapValues(
        half, [&](const APFloat &value) { return toHalf(value, maskValue).bitcastToAPInt(); });
    auto constant = builder.create<ConstOp>(op.getLoc(), narrowed);
    op.replaceAllUsesWith(constant.getResult());
    op.erase();
    return;
  }
  // A weight stays where it is; the cast is evaluated when the bundle is written.
  auto cast = builder.create<CastOp>(op.getLoc(), op.getResult(), builder.getF16Type());
  op.getResult().replaceAllUsesExcept(cast, cast);
}

void LegalizeDType::runOnOperation() {
  Region &engine = getOperation().getEngine();
  double maskValue = std::abs(lookupTargetEnv(getOperation()).numeric(Numeric::MaskValue));
  SmallVector<ConstOp> constants(engine.getOps<ConstOp>());
  SmallVector<Operation *> others;
  for (Operation &op : engine.front())
    if (!isa<ConstOp>(op))
      others.push_back(&op);
  for (BlockArgument argument : engine.getArguments())
    narrow(argument);
  for (ConstOp constant : constants)
    narrowConstant(constant, maskValue);
  for (Operation *op : others) {
    if (auto cast = dyn_cast<CastOp>(op); cast && isWideFloat(getElementTypeOrSelf(cast.getType())))
      cast.setDtype("fp16");
    for (Value result : op->getResults())
      narrow(result);
  }
}
