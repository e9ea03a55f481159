//===- SealConstants.cpp - what is computed from weights is one op --------===//

#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_SEALCONSTANTS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct SealConstants : mlir::ane::impl::SealConstantsBase<SealConstants> {
  using SealConstantsBase::SealConstantsBase;
  void runOnOperation() override {
    for (Block &block : getOperation().getBody())
      seal(block);
  }

private:
  static void seal(Block &block);
};
} // namespace

/// The ops of a block that compute from constants alone, however many levels there are.
static llvm::DenseSet<Operation *> constantsOf(Block &block) {
  llvm::DenseSet<Operation *> constants;
  for (Operation &op : block) {
    auto isConstant = [&](Value operand) { return constants.contains(operand.getDefiningOp()); };
    bool isComputed = isa_and_nonnull<ANEDialect>(op.getDialect()) && op.getNumOperands() != 0 &&
                      op.getNumRegions() == 0 && llvm::all_of(op.getOperands(), isConstant) && canEvaluate(&op);
    if (isComputed || isa<ConstOp, BlobOp>(op))
      constants.insert(&op);
  }
  return constants;
}

void SealConstants::seal(Block &block) {
  llvm::DenseSet<Operation *> constants = constantsOf(block);
  auto isComputed = [&](Operation *op) { return constants.contains(op) && !movesWeight(op); };
  llvm::DenseMap<Value, int> levels; // above the last leaf
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!constants.contains(&op))
      continue;
    int level = 0;
    for (Value operand : op.getOperands())
      level = std::max(level, levels.lookup(operand) + 1);
    for (Value result : op.getResults()) {
      levels[result] = level;
      bool isRead = isComputed(&op) && !llvm::all_of(result.getUsers(), isComputed);
      if (!isRead && level < mostConstantLevels)
        continue;
      OpBuilder builder(op.getContext());
      builder.setInsertionPointAfter(&op);
      result.replaceAllUsesWith(outlineConstantExpr(builder, result));
    }
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && constants.contains(&op))
      op.erase();
}
