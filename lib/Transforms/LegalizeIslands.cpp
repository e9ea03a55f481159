//===- LegalizeIslands.cpp - legalise, check, send the rest to the CPU ----===//

#include "ane/Constraint/Declined.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Support/RegionHash.h"
#include "ane/Transforms/IslandPipeline.h"
#include "ane/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include <map>

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
/// Engine regions of islands that are dissolved though nothing is wrong with them. What comes of a twin depends on the
/// twin alone: where the next islands are formed alike, their engine regions are there already.
class LegalBodies {
public:
  /// Before an island is legalised, which moves constants in the twin, too.
  void begin(IslandOp island) {
    IRMapping mapping;
    std::unique_ptr<Body> &body = begun[island];
    body = std::make_unique<Body>();
    island.getTwin().cloneInto(&body->twin, mapping);
  }

  /// Of an island that is legal and about to be erased.
  void keep(IslandOp island) {
    std::unique_ptr<Body> body = std::move(begun[island]);
    body->inputLayouts = island.getInputLayoutsAttr();
    body->outputLayouts = island.getOutputLayoutsAttr();
    body->engine.takeBody(island.getEngine());
    kept[hashRegion(body->twin)].push_back(std::move(body));
  }

  /// Gives new islands what was kept, and forgets the rest. Returns those for which there was something.
  llvm::SmallPtrSet<Operation *, 4> restore(ArrayRef<IslandOp> islands) {
    llvm::SmallPtrSet<Operation *, 4> restored;
    begun.clear();
    for (IslandOp island : islands) {
      auto &alike = kept[hashRegion(island.getTwin())];
      auto *found = llvm::find_if(alike, [&](const std::unique_ptr<Body> &body) {
        return OperationEquivalence::isRegionEquivalentTo(&body->twin, &island.getTwin(), OperationEquivalence::None);
      });
      if (found == alike.end())
        continue;
      island.getEngine().takeBody((*found)->engine);
      island.setInputLayoutsAttr((*found)->inputLayouts);
      island.setOutputLayoutsAttr((*found)->outputLayouts);
      restored.insert(island);
      begun[island] = std::move(*found);
      alike.erase(found);
    }
    kept.clear();
    return restored;
  }

private:
  struct Body {
    Region engine, twin;
    ArrayAttr inputLayouts, outputLayouts;
  };
  llvm::DenseMap<Operation *, std::unique_ptr<Body>> begun;     // by island
  std::map<size_t, SmallVector<std::unique_ptr<Body>, 1>> kept; // by the hash of the twin
};

struct LegalizeIslands : ane::impl::LegalizeIslandsBase<LegalizeIslands> {
  using LegalizeIslandsBase::LegalizeIslandsBase;

  void runOnOperation() override;

private:
  LogicalResult legalize(ArrayRef<IslandOp> islands, const llvm::SmallPtrSetImpl<Operation *> &clean);
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
        op->setAttr("ane.host", HostAttr::get(&getContext(), info(violation.id).code, storyOf(violation)));
  }
  if (!marked.empty())
    return;
  const Violation &first = violations.front();
  for (Operation &op : twin)
    if (!isConstantExpr(&op))
      op.setAttr("ane.host", HostAttr::get(&getContext(), info(first.id).code, storyOf(first)));
}

/// Puts the twin's ops in the place of the island's results.
void LegalizeIslands::dissolve(IslandOp island) {
  OpBuilder builder(island);
  IRMapping mapping;
  Block &twin = island.getTwin().front();
  mapping.map(twin.getArguments(), island.getInputs());
  for (Operation &op : twin.without_terminator())
    builder.clone(op, mapping);
  for (auto [result, value] : llvm::zip_equal(island.getResults(), twin.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookup(value));
}

/// Islands side by side; where some are clean, only the others, which are few.
LogicalResult LegalizeIslands::legalize(ArrayRef<IslandOp> islands, const llvm::SmallPtrSetImpl<Operation *> &clean) {
  if (clean.empty()) {
    OpPassManager all(func::FuncOp::getOperationName());
    buildIslandPipeline(all.nest<IslandOp>());
    return runPipeline(all, getOperation());
  }
  OpPassManager one(IslandOp::getOperationName());
  buildIslandPipeline(one);
  for (IslandOp island : islands)
    if (!clean.contains(island) && failed(runPipeline(one, island)))
      return failure();
  return success();
}

void LegalizeIslands::runOnOperation() {
  TargetEnv env = lookupTargetEnv(getOperation());
  LegalBodies bodies;
  llvm::SmallPtrSet<Operation *, 4> clean; // islands whose engine regions are known to be legal
  // Each round sends at least one op to the CPU, so that the rounds end.
  while (true) {
    SmallVector<IslandOp> islands(getOperation().getOps<IslandOp>());
    for (IslandOp island : islands)
      if (!clean.contains(island))
        bodies.begin(island);
    if (failed(legalize(islands, clean)))
      return signalPassFailure();
    for (IslandOp island : islands) {
      if (clean.contains(island))
        continue;
      SmallVector<Violation> violations = verifyLegalRegion(island.getEngine(), env, /*emittable=*/false);
      if (violations.empty())
        clean.insert(island);
      else
        markCulprits(island, violations);
    }
    if (clean.size() == islands.size())
      return;
    for (IslandOp island : islands) {
      dissolve(island);
      if (clean.contains(island))
        bodies.keep(island);
      island.erase();
    }
    OpPassManager form(func::FuncOp::getOperationName());
    buildIslandFormation(form);
    if (failed(runPipeline(form, getOperation())))
      return signalPassFailure();
    clean = bodies.restore(llvm::to_vector(getOperation().getOps<IslandOp>()));
  }
}
