//===- VerifyLegal.cpp - check engine bodies ------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Passes.h"
#include "llvm/ADT/STLExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_VERIFYLEGALPASS
#include "ane/Constraint/ConstraintPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct VerifyLegal : mlir::ane::impl::VerifyLegalPassBase<VerifyLegal> {
  using VerifyLegalPassBase::VerifyLegalPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    for (const std::string &spelling : only)
      if (std::optional<ConstraintID> id = findConstraint(spelling))
        selected.push_back(*id);
      else
        return emitError(UnknownLoc::get(context), "no constraint '") << spelling << "'";
    return success();
  }

  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    SmallVector<Violation> violations, hints;
    auto keep = [&](SmallVector<Violation> found, SmallVector<Violation> &kept) {
      for (Violation &violation : found)
        if (selected.empty() || llvm::is_contained(selected, violation.id))
          kept.push_back(std::move(violation));
    };
    auto verify = [&](Region &region) {
      keep(verifyLegalRegion(region, env, emittable), violations);
      if (advice)
        keep(findAdvice(region, env), hints);
    };
    getOperation().walk([&](Operation *op) {
      if (auto island = dyn_cast<IslandOp>(op); island && !island.getEngine().empty())
        verify(island.getEngine());
      if (auto program = dyn_cast<ProgramOp>(op))
        for (auto procedure : program.getOps<func::FuncOp>())
          verify(procedure.getBody());
    });
    reportAdvice(hints, env);
    if (failed(reportViolations(violations, env)))
      signalPassFailure();
  }

  SmallVector<ConstraintID> selected;
};
} // namespace
