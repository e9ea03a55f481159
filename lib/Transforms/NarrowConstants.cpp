//===- NarrowConstants.cpp - say why a program may narrow a constant ------===//

#include "ane/Constraint/ConstantSources.h"
#include "ane/Constraint/Narrowing.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_NARROWCONSTANTS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct NarrowConstants : mlir::ane::impl::NarrowConstantsBase<NarrowConstants> {
  using NarrowConstantsBase::NarrowConstantsBase;
  void runOnOperation() override {
    ValueRanges ranges(getOperation());
    for (Operation &op : llvm::make_early_inc_range(getOperation().front().without_terminator())) {
      if (attrs::host.isOn(&op) || isConstantExpr(&op))
        continue;
      for (const Narrowing &narrowing : narrowingsOf(&op, ranges)) {
        Value constant = op.getOperand(narrowing.operand);
        markDecisive(constant);
        OpBuilder builder(&op);
        op.setOperand(narrowing.operand,
                      builder.create<NarrowOp>(constant.getLoc(), constant, Value(),
                                               builder.getStringAttr(narrowing.because), IntegerAttr()));
      }
    }
  }
};
} // namespace
