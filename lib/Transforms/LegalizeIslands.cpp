//===- LegalizeIslands.cpp - legalise, check, send the rest to the CPU ----===//

#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/IslandPipeline.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEISLANDS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

using NodeNames = llvm::StringSet<>;

/// The names of the model's nodes that a location comes from.
static void collectNodes(Location loc, NodeNames &names) {
  loc->walk([&](Location inner) {
    if (auto name = dyn_cast<NameLoc>(inner))
      names.insert(name.getName());
    return WalkResult::advance();
  });
}

namespace {
struct LegalizeIslands : ane::impl::LegalizeIslandsBase<LegalizeIslands> {
  using LegalizeIslandsBase::LegalizeIslandsBase;

  void runOnOperation() override;

private:
  void markCulprits(IslandOp island, ArrayRef<Violation> violations);
  void dissolve(IslandOp island);
};
} // namespace

/// Marks the ops of the twin from which the violating ops come; all of them if that can't be told. Several ops may come
/// from one node of the model: those of the violating op's kind are meant, if there are any.
void LegalizeIslands::markCulprits(IslandOp island, ArrayRef<Violation> violations) {
  auto twin = island.getTwin().front().without_terminator();
  llvm::StringMap<SmallVector<Operation *>> comingFrom; // node of the model -> ops of the twin
  for (Operation &op : twin) {
    NodeNames nodes;
    collectNodes(op.getLoc(), nodes);
    if (!isConstantExpr(&op))
      for (StringRef node : nodes.keys())
        comingFrom[node].push_back(&op);
  }
  // Of several reasons for one op the last stands. Ops of one place and kind have the same culprits.
  llvm::SmallPtrSet<Operation *, 16> marked;
  llvm::DenseSet<std::pair<Attribute, OperationName>> seen;
  for (const Violation &violation : llvm::reverse(violations)) {
    OperationName kind = violation.op->getName();
    if (!seen.insert({LocationAttr(violation.op->getLoc()), kind}).second)
      continue;
    NodeNames nodes;
    collectNodes(violation.op->getLoc(), nodes);
    SmallVector<Operation *> suspects;
    for (StringRef node : nodes.keys())
      llvm::append_range(suspects, comingFrom.lookup(node));
    auto isOfKind = [&](Operation *op) { return op->getName() == kind; };
    if (llvm::any_of(suspects, isOfKind))
      llvm::erase_if(suspects, std::not_fn(isOfKind));
    for (Operation *op : suspects)
      if (marked.insert(op).second)
        op->setAttr("ane.host", HostAttr::get(&getContext(), info(violation.id).code, violation.text()));
  }
  if (!marked.empty())
    return;
  const Violation &first = violations.front();
  for (Operation &op : twin)
    if (!isConstantExpr(&op))
      op.setAttr("ane.host", HostAttr::get(&getContext(), info(first.id).code, first.text()));
}

/// Puts the twin's ops back in the island's place.
void LegalizeIslands::dissolve(IslandOp island) {
  OpBuilder builder(island);
  IRMapping mapping;
  Block &twin = island.getTwin().front();
  mapping.map(twin.getArguments(), island.getInputs());
  for (Operation &op : twin.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] : llvm::zip_equal(island.getResults(), twin.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
  island.erase();
}

void LegalizeIslands::runOnOperation() {
  TargetEnv env = lookupTargetEnv(getOperation());
  // Each round sends at least one op to the CPU, so that the rounds end.
  while (true) {
    OpPassManager legalise(func::FuncOp::getOperationName());
    buildIslandPipeline(legalise.nest<IslandOp>());
    if (failed(runPipeline(legalise, getOperation())))
      return signalPassFailure();
    bool clean = true;
    SmallVector<IslandOp> islands(getOperation().getOps<IslandOp>());
    for (IslandOp island : islands) {
      SmallVector<Violation> violations = verifyLegalRegion(island.getEngine(), env, /*emittable=*/false);
      if (violations.empty())
        continue;
      markCulprits(island, violations);
      clean = false;
    }
    if (clean)
      return;
    for (IslandOp island : islands)
      dissolve(island);
    OpPassManager form(func::FuncOp::getOperationName());
    buildIslandFormation(form);
    if (failed(runPipeline(form, getOperation())))
      return signalPassFailure();
  }
}
