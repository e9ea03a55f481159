//===- LegalizeIsland.cpp - fill and legalise one engine region -----------===//

#include "ane/Transforms/IslandPipeline.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEISLAND
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LegalizeIsland : mlir::ane::impl::LegalizeIslandBase<LegalizeIsland> {
  using LegalizeIslandBase::LegalizeIslandBase;

  // Once for all islands: to make the patterns costs more than to legalise a small island.
  LogicalResult initialize(MLIRContext *) override {
    legalise = OpPassManager(IslandOp::getOperationName());
    buildIslandPipeline(legalise, surfaces);
    return success();
  }

  void runOnOperation() override {
    if (getOperation().getEngine().empty() && failed(runPipeline(legalise, getOperation())))
      signalPassFailure();
  }

  OpPassManager legalise;
};
} // namespace
