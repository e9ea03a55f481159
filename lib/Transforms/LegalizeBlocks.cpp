//===- LegalizeBlocks.cpp - blocks of any size between space and channels -===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEBLOCKS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// The axes that the op cuts, and their new order; nothing for an op that moves blocks of the batch.
static std::optional<Relayout> relayoutOf(Operation *op) {
  auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
  int64_t n = shape[0], c = shape[1], h = shape[2], w = shape[3];
  if (auto block = dyn_cast<DepthToSpaceOp>(op)) {
    int64_t b = block.getBlockSize();
    return Relayout{{n, b, b, c / (b * b), h, w}, {0, 3, 4, 1, 5, 2}};
  }
  if (auto block = dyn_cast<SpaceToDepthOp>(op)) {
    int64_t b = block.getBlockSize();
    return Relayout{{n, c, h / b, b, w / b, b}, {0, 3, 5, 1, 2, 4}};
  }
  if (auto block = dyn_cast<PixelShuffleOp>(op)) {
    int64_t b = block.getUpscaleFactor();
    return Relayout{{n, c / (b * b), b, b, h, w}, {0, 1, 4, 2, 5, 3}};
  }
  if (auto block = dyn_cast<PixelUnshuffleOp>(op)) {
    int64_t b = block.getDownscaleFactor();
    return Relayout{{n, c, h / b, b, w / b, b}, {0, 1, 3, 5, 2, 4}};
  }
  return std::nullopt;
}

namespace {
struct LegalizeBlocks : mlir::ane::impl::LegalizeBlocksBase<LegalizeBlocks> {
  using LegalizeBlocksBase::LegalizeBlocksBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    for (Operation &op : llvm::make_early_inc_range(getOperation().getEngine().front())) {
      if (!isa<DepthToSpaceOp, SpaceToDepthOp, PixelShuffleOp, PixelUnshuffleOp>(op) || isConstantExpr(&op) ||
          !check(ConstraintID::RearrangeFactors, &op, env))
        continue;
      EngineBuilder builder(&op);
      auto result = cast<RankedTensorType>(op.getResult(0).getType()).getShape();
      op.getResult(0).replaceAllUsesWith(
          RelayoutOp::create(builder, op.getLoc(), op.getOperand(0), *relayoutOf(&op), result));
      op.erase();
    }
  }
};
} // namespace
