//===- HostNarrow.cpp - float32 in the place of float64 --------------------===//

#include "ane/Host/HostDialect.h"
#include "ane/Host/Passes.h"
#include "ane/IR/ANE.h"
#include "ane/IR/Dtype.h"

namespace mlir::ane {
#define GEN_PASS_DEF_HOSTNARROW
#include "ane/Host/HostPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static bool isDouble(Value value) { return getElementTypeOrSelf(value).isF64(); }

static Value castBefore(OpBuilder &builder, Value value, Type element) {
  return builder.create<CastOp>(value.getLoc(), value, element);
}

/// What reads `value` reads its float32 instead.
static void narrowUses(OpBuilder &builder, Value value) {
  Value narrow = castBefore(builder, value, builder.getF32Type());
  value.replaceAllUsesExcept(narrow, narrow.getDefiningOp());
}

/// Gives the op's results float32, also where an attribute says what they are.
static void narrowResults(OpBuilder &builder, Operation *op) {
  StringAttr wide = builder.getStringAttr(getDtypeName(builder.getF64Type()));
  StringAttr narrow = builder.getStringAttr(getDtypeName(builder.getF32Type()));
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (attribute.getValue() == wide)
      op->setAttr(attribute.getName(), narrow);
  for (Value result : op->getResults())
    if (isDouble(result))
      result.setType(cast<RankedTensorType>(result.getType()).clone(builder.getF32Type()));
}

static void narrow(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  SmallVector<Operation *> ops;
  for (Operation &op : function.front())
    ops.push_back(&op);
  builder.setInsertionPointToStart(&function.front());
  for (Value argument : function.getArguments())
    if (isDouble(argument))
      narrowUses(builder, argument);
  for (Operation *op : ArrayRef(ops).drop_back()) {
    if (!llvm::any_of(op->getResults(), isDouble))
      continue;
    // A constant's value says its type.
    if (op->getNumOperands() != 0) {
      narrowResults(builder, op);
      continue;
    }
    builder.setInsertionPointAfter(op);
    narrowUses(builder, op->getResult(0));
  }
  Operation *end = ops.back();
  builder.setInsertionPoint(end);
  for (auto [operand, type] : llvm::zip_equal(end->getOpOperands(), function.getResultTypes()))
    if (operand.get().getType() != type)
      operand.set(castBefore(builder, operand.get(), builder.getF64Type()));
}

namespace {
struct HostNarrow : mlir::ane::impl::HostNarrowBase<HostNarrow> {
  void runOnOperation() override {
    if (!getOperation().isExternal())
      narrow(getOperation());
  }
};
} // namespace
