//===- LegalizeRank.cpp - fewer axes (C21) --------------------------------===//

#include "MergeAxes.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZERANK
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LegalizeRank : mlir::ane::impl::LegalizeRankBase<LegalizeRank> {
  using LegalizeRankBase::LegalizeRankBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    mergeAxes(getOperation().getEngine().front(),
              [&](Operation *op) { return env.limit(isa<MatmulOp, LinearOp>(op) ? Limit::ProductRank : Limit::Rank); });
  }
};
} // namespace
