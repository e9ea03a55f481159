//===- LowerRelayouts.cpp - relayouts as reshape and transpose ------------===//

#include "RelayoutPatterns.h"
#include "ane/Constraint/Origin.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LOWERRELAYOUTS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LowerRelayouts : mlir::ane::impl::LowerRelayoutsBase<LowerRelayouts> {
  using LowerRelayoutsBase::LowerRelayoutsBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateLowerRelayoutPatterns(patterns);
    OriginListener listener;
    GreedyRewriteConfig config;
    config.listener = &listener;
    if (failed(applyPatternsAndFoldGreedily(getOperation().getEngine(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
