//===- LegalizePatches.cpp - convolutions of patches as linears ------------===//
//
// A kernel that is its stride sees each element once: the patches are vectors, and the convolution a matrix product.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEPATCHES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// Whether the windows of `op` are the patches of an image without rest.
static bool isPatchwise(ConvOp op) {
  ArrayRef<int64_t> x = shapeOf(op.getX()), kernel = shapeOf(op.getWeight()), y = shapeOf(op.getResult());
  return x.size() == 4 && op.getGroups() == 1 && isConstantExpr(op.getWeight()) && x[1] == kernel[1] &&
         x[2] == y[2] * kernel[2] && x[3] == y[3] * kernel[3];
}

namespace {
struct LegalizePatches : ane::impl::LegalizePatchesBase<LegalizePatches> {
  using LegalizePatchesBase::LegalizePatchesBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    auto isRefused = [&](ConvOp op) {
      return llvm::any_of(ArrayRef{ConstraintID::KernelWidth, ConstraintID::PatchConv, ConstraintID::StrideFactors},
                          [&](ConstraintID id) { return check(id, op, env).has_value(); });
    };
    for (ConvOp op : llvm::make_early_inc_range(getOperation().getEngine().getOps<ConvOp>())) {
      if (!isRefused(op) || !isPatchwise(op))
        continue;
      OpBuilder builder(op);
      Composer b(builder, op.getLoc());
      ArrayRef<int64_t> kernel = shapeOf(op.getWeight()), y = shapeOf(op.getResult());
      int64_t features = kernel[1] * kernel[2] * kernel[3], batch = y[0], patches = batch * y[2] * y[3];
      // [N, C, rows, height, columns, width] -> [N, rows, columns, C, height, width]
      Relayout cut{{batch, kernel[1], y[2], kernel[2], y[3], kernel[3]}, {0, 2, 4, 1, 3, 5}};
      Value x = RelayoutOp::create(builder, op.getLoc(), op.getX(), cut, {patches, features});
      Value linear = b.make<LinearOp>(x, b.reshape(op.getWeight(), {kernel[0], features}), op.getBias());
      Relayout back{{batch, y[2] * y[3], kernel[0]}, {0, 2, 1}};
      op.replaceAllUsesWith(RelayoutOp::create(builder, op.getLoc(), linear, back, y).getResult());
      op.erase();
    }
  }
};
} // namespace
