//===- CanonicalizeEngine.cpp - canonicalise an engine region -------------===//
//
// As MLIR's pass does, which would rewrite the twin, too, and lose the origins of ops.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Origin.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::ane {
#define GEN_PASS_DEF_CANONICALIZEENGINE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct CanonicalizeEngine : mlir::ane::impl::CanonicalizeEngineBase<CanonicalizeEngine> {
  using CanonicalizeEngineBase::CanonicalizeEngineBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      if (isa<ANEDialect>(op.getDialect()))
        op.getCanonicalizationPatterns(owned, context);
    patterns = FrozenRewritePatternSet(std::move(owned));
    return success();
  }

  void runOnOperation() override {
    OriginListener listener;
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Normal;
    config.listener = &listener;
    (void)applyPatternsAndFoldGreedily(getOperation().getEngine(), patterns, config);
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
