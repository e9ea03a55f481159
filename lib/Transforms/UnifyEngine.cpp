//===- UnifyEngine.cpp - one op for those that compute the same -----------===//
//
// Common subexpression elimination, for which origins don't tell ops apart: what is left comes from all of them.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Origin.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Transforms/Passes.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"

namespace mlir::ane {
#define GEN_PASS_DEF_UNIFYENGINE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Takes the origins off the ops, which would keep equal ops apart, and gives them back in the end.
struct OriginKeeper : RewriterBase::Listener {
  explicit OriginKeeper(Region &engine) {
    for (Operation &op : engine.front())
      if (!originOf(&op).empty()) {
        llvm::append_range(origins[&op], originOf(&op));
        attrs::from.remove(&op);
      }
  }

  using Listener::notifyOperationReplaced;
  void notifyOperationReplaced(Operation *op, Operation *replacement) override {
    SmallVector<int64_t> lost = origins.lookup(op);
    llvm::append_range(origins[replacement], lost);
  }
  void notifyOperationErased(Operation *op) override { origins.erase(op); }

  void restore() {
    for (auto &[op, places] : origins) {
      llvm::sort(places);
      places.erase(llvm::unique(places), places.end());
      setOrigin(op, places);
    }
  }

  llvm::DenseMap<Operation *, SmallVector<int64_t>> origins;
};

struct UnifyEngine : mlir::ane::impl::UnifyEngineBase<UnifyEngine> {
  using UnifyEngineBase::UnifyEngineBase;
  void runOnOperation() override {
    IslandOp island = getOperation();
    // Whole ops are simplified: the twin, which stays what it is, steps aside.
    Region twin;
    twin.takeBody(island.getTwin());
    OriginKeeper keeper(island.getEngine());
    IRRewriter rewriter(&getContext(), &keeper);
    DominanceInfo dominance(island);
    eliminateCommonSubExpressions(rewriter, dominance, island);
    keeper.restore();
    island.getTwin().takeBody(twin);
  }
};
} // namespace
