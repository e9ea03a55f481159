//===- LegalizeIslands.cpp - legalise, check, send the rest to the CPU ----===//

#include "ane/Constraint/Declined.h"
#include "ane/Constraint/Origin.h"
#include "ane/Constraint/WeightConstants.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Support/RegionHash.h"
#include "ane/Transforms/IslandPipeline.h"
#include "ane/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/PassManager.h"
#include <map>

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEISLANDS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Engine regions of islands that are dissolved though nothing is wrong with them. What comes of a twin depends on the
/// twin alone: where the next islands are formed alike, their engine regions are there already.
class LegalBodies {
public:
  void keep(IslandOp island) {
    auto body = std::make_unique<Body>();
    body->inputLayouts = island.getInputLayoutsAttr();
    body->outputLayouts = island.getOutputLayoutsAttr();
    body->engine.takeBody(island.getEngine());
    body->twin.takeBody(island.getTwin());
    size_t hash = hashRegion(body->twin);
    bodies[hash].push_back(std::move(body));
  }

  /// Gives the island the engine region that a twin like its own had before. Returns whether there was one.
  bool restore(IslandOp island) {
    auto alike = bodies.find(hashRegion(island.getTwin()));
    if (alike == bodies.end())
      return false;
    auto *found = llvm::find_if(alike->second, [&](const std::unique_ptr<Body> &body) {
      return OperationEquivalence::isRegionEquivalentTo(&body->twin, &island.getTwin(), OperationEquivalence::None);
    });
    if (found == alike->second.end())
      return false;
    island.getEngine().takeBody((*found)->engine);
    island.setInputLayoutsAttr((*found)->inputLayouts);
    island.setOutputLayoutsAttr((*found)->outputLayouts);
    alike->second.erase(found);
    return true;
  }

private:
  struct Body {
    Region engine, twin;
    ArrayAttr inputLayouts, outputLayouts;
  };
  std::map<size_t, SmallVector<std::unique_ptr<Body>, 1>> bodies;
};

struct LegalizeIslands : mlir::ane::impl::LegalizeIslandsBase<LegalizeIslands> {
  using LegalizeIslandsBase::LegalizeIslandsBase;

  void runOnOperation() override;

private:
  int64_t mostConstants(const TargetEnv &env) const;
  void markCulprits(IslandOp island, ArrayRef<Violation> violations);
  void dissolve(IslandOp island);
};
} // namespace

/// Marks the ops of the twin from which the violating ops come; where several ops became one, those of the violating
/// op's kind are meant, if there are any. A program as a whole loses the ops of its results.
void LegalizeIslands::markCulprits(IslandOp island, ArrayRef<Violation> violations) {
  SmallVector<Operation *> twin = llvm::map_to_vector(island.getTwin().front().without_terminator(),
                                                      [](Operation &op) -> Operation * { return &op; });
  Operation *yield = island.getTwin().front().getTerminator();
  // Of several reasons for one op the last stands.
  llvm::SmallPtrSet<Operation *, 16> marked;
  auto mark = [&](Operation *op, const Violation &violation) {
    if (!isConstantExpr(op) && marked.insert(op).second)
      attrs::host.set(op, HostAttr::get(&getContext(), info(violation.id).code, storyOf(violation)));
  };
  for (const Violation &violation : llvm::reverse(violations)) {
    SmallVector<Operation *> suspects;
    if (violation.op == island)
      for (Value result : yield->getOperands())
        suspects.push_back(result.getDefiningOp());
    for (int64_t place : originOf(violation.op))
      suspects.push_back(twin[place]);
    auto isOfKind = [&](Operation *op) { return op->getName() == violation.op->getName(); };
    if (llvm::any_of(suspects, isOfKind))
      llvm::erase_if(suspects, std::not_fn(isOfKind));
    for (Operation *op : suspects)
      mark(op, violation);
  }
  if (marked.empty())
    for (Operation *op : twin)
      mark(op, violations.front());
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

int64_t LegalizeIslands::mostConstants(const TargetEnv &env) const {
  if (!isEnforced(ConstraintID::WeightConstants, env))
    return INT64_MAX;
  const int64_t limit = env.limit(Limit::WeightConstants);
  return constantsPerProgram > 0 ? std::min<int64_t>(constantsPerProgram, limit) : limit;
}

void LegalizeIslands::runOnOperation() {
  TargetEnv env = lookupTargetEnv(getOperation());
  const int64_t most = mostConstants(env);
  int64_t room = most;                     // for those of the model, beside what legalisers add
  llvm::SmallPtrSet<Operation *, 4> clean; // islands whose engine regions are known to be legal
  OpPassManager legalise(func::FuncOp::getOperationName());
  legalise.nest<IslandOp>().addPass(createLegalizeIsland({surfaces}));
  // Each round sends at least one op to the CPU, or makes islands smaller, so that the rounds end.
  while (true) {
    if (failed(runPipeline(legalise, getOperation())))
      return signalPassFailure();
    SmallVector<IslandOp> islands(getOperation().getOps<IslandOp>());
    int64_t held = 0;
    for (IslandOp island : islands)
      held = std::max(held, most == INT64_MAX ? 0 : countWeightConstants({&island.getEngine().front()}));
    const bool isTooMuch = held > most && room > 1;
    if (isTooMuch)
      room = std::max<int64_t>(room - (held - most), 1);
    for (IslandOp island : islands) {
      if (isTooMuch || clean.contains(island))
        continue;
      SmallVector<Violation> violations = verifyLegalRegion(island.getEngine(), env, /*emittable=*/false);
      if (violations.empty())
        clean.insert(island);
      else
        markCulprits(island, violations);
    }
    if (!isTooMuch && clean.size() == islands.size())
      return;
    LegalBodies bodies;
    for (IslandOp island : islands) {
      dissolve(island);
      if (clean.contains(island))
        bodies.keep(island);
      island.erase();
    }
    clean.clear();
    OpPassManager form(func::FuncOp::getOperationName());
    buildIslandFormation(form, chunks, layers, most == INT64_MAX ? 0 : room);
    if (failed(runPipeline(form, getOperation())))
      return signalPassFailure();
    for (IslandOp island : getOperation().getOps<IslandOp>())
      if (bodies.restore(island))
        clean.insert(island);
  }
}
