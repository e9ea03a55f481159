//===- LegalizeConstants.cpp - constants of elementwise ops (C113) --------===//
//
// Where a constant of rank 4 is no operand of an elementwise op, [1, C, 1, 1] still is. The axes along which the
// constant is repeated become the batch, those that it has become the channels: nothing moves.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Rebuild.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZECONSTANTS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// How many leading axes of `shape` the constant repeats; nothing if it repeats others as well.
static std::optional<size_t> repeatedAxes(ArrayRef<int64_t> constant, ArrayRef<int64_t> shape) {
  size_t leading = 0;
  while (leading < constant.size() && constant[leading] == 1)
    ++leading;
  if (constant.size() != shape.size() || constant.drop_front(leading) != shape.drop_front(leading))
    return std::nullopt;
  return leading;
}

namespace {
struct LegalizeConstants : mlir::ane::impl::LegalizeConstantsBase<LegalizeConstants> {
  using LegalizeConstantsBase::LegalizeConstantsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    for (Operation &op : llvm::make_early_inc_range(getOperation().getEngine().front()))
      if (op.getNumOperands() == 2 && !isConstantExpr(&op) && check(ConstraintID::RankFourConstant, &op, env))
        spell(op, env);
  }

private:
  static void spell(Operation &op, const TargetEnv &env) {
    unsigned which = isConstantExpr(op.getOperand(1)) ? 1 : 0;
    Value constant = op.getOperand(which), x = op.getOperand(1 - which);
    auto result = cast<RankedTensorType>(op.getResult(0).getType());
    std::optional<size_t> leading = repeatedAxes(shapeOf(constant), result.getShape());
    if (!leading || shapeOf(x) != result.getShape())
      return;
    int64_t batch = ShapedType::getNumElements(result.getShape().take_front(*leading)),
            channels = ShapedType::getNumElements(result.getShape().drop_front(*leading));
    if (channels > env.limit(Limit::ChannelAxis) || batch > env.limit(Limit::BatchAxis))
      return;
    EngineBuilder builder(&op);
    Composer b(builder, op.getLoc());
    SmallVector<Value> operands(2);
    operands[which] = b.reshape(constant, {1, channels, 1, 1});
    operands[1 - which] = b.reshape(x, {batch, channels, 1, 1});
    Value value = rebuild(builder, &op, operands)->getResult(0);
    op.getResult(0).replaceAllUsesWith(b.reshape(value, result.getShape()));
    op.erase();
  }
};
} // namespace
