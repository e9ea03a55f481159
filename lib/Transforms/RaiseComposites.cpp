//===- RaiseComposites.cpp - recognise what exporters took apart ----------===//

#include "Raise/Raise.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::ane {
#define GEN_PASS_DEF_RAISECOMPOSITES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct RaiseComposites : ane::impl::RaiseCompositesBase<RaiseComposites> {
  using RaiseCompositesBase::RaiseCompositesBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    raise::populateLinear(patterns);
    raise::populateMovement(patterns);
    raise::populateActivations(patterns);
    raise::populateNorms(patterns);
    raise::populateRope(patterns);
    raise::populateAttention(patterns);
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
    RewritePatternSet rest(&getContext());
    raise::populateGroupedProducts(rest);
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(rest));
  }
};
} // namespace
