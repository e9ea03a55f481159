//===- LegalizeTile.cpp - tile as a product with ones (C48) ---------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZETILE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
struct LegalizeTile : mlir::ane::impl::LegalizeTileBase<LegalizeTile> {
  using LegalizeTileBase::LegalizeTileBase;
  void runOnOperation() override {
    if (!isEnforced(ConstraintID::Tile, lookupTargetEnv(getOperation())))
      return;
    for (TileOp op : llvm::make_early_inc_range(getOperation().getEngine().getOps<TileOp>())) {
      if (isConstantExpr(op.getOperation()) || !isa<FloatType>(typeOf(op).getElementType()))
        continue;
      EngineBuilder builder(op);
      Composer b(builder, op.getLoc());
      // A repeated axis becomes [repetitions, extent], of which ones of [repetitions, 1] broadcast the first.
      SmallVector<int64_t> shape, ones;
      for (auto [extent, count] : llvm::zip_equal(typeOf(op.getX()).getShape(), op.getReps())) {
        if (count != 1 && extent != 1) {
          shape.push_back(1);
          ones.push_back(count);
        }
        shape.push_back(extent);
        ones.push_back(extent == 1 ? count : 1);
      }
      Value x = shape.size() == op.getReps().size() ? op.getX() : b.reshape(op.getX(), shape);
      Value factor = createSplat(builder, op.getLoc(), typeOf(x).clone(ones), 1.0);
      Value copies = b.mul(x, factor);
      op.replaceAllUsesWith(copies.getType() == op.getType() ? copies : b.reshape(copies, typeOf(op).getShape()));
      op.erase();
    }
  }
};
} // namespace
