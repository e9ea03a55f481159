//===- DecomposeComposites.cpp - composites in simpler ops ----------------===//

#include "ane/Constraint/Origin.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_DECOMPOSECOMPOSITES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct Decompose : OpInterfaceRewritePattern<DecomposableOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;
  LogicalResult matchAndRewrite(DecomposableOpInterface op, PatternRewriter &rewriter) const override {
    // Linear becomes a convolution, relayouts still move, and the rest has a legaliser that ran before. What a constant
    // is computed by is no work of the engine.
    if (isa<LinearOp, RelayoutOp>(op) || isa<BlobOp>(op->getParentOp()))
      return failure();
    FailureOr<SmallVector<Value>> values = op.decompose(rewriter);
    if (failed(values))
      return rewriter.notifyMatchFailure(op, "can't be decomposed");
    rewriter.replaceOp(op, *values);
    return success();
  }
};

struct DecomposeComposites : mlir::ane::impl::DecomposeCompositesBase<DecomposeComposites> {
  using DecomposeCompositesBase::DecomposeCompositesBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<Decompose>(&getContext());
    OriginListener listener;
    GreedyRewriteConfig config;
    config.listener = &listener;
    // What stays is reported by the verifier of phase legal.
    (void)applyPatternsAndFoldGreedily(getOperation().getEngine(), std::move(patterns), config);
  }
};
} // namespace
