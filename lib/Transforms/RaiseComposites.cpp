//===- RaiseComposites.cpp - recognise what exporters took apart ----------===//

#include "Raise/Raise.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Support/Diagnostics.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::ane {
#define GEN_PASS_DEF_RAISECOMPOSITES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Gives each composite a location that names all ops that it replaces, for the report.
class RecordOrigins : public RewriterBase::Listener {
public:
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override { inserted.insert(op); }
  void notifyOperationErased(Operation *op) override { inserted.erase(op); }
  void notifyOperationReplaced(Operation *op, ValueRange values) override {
    Operation *composite = values.size() == 1 ? values[0].getDefiningOp() : nullptr;
    if (isa_and_nonnull<DecomposableOpInterface>(composite) && inserted.contains(composite))
      record(op, composite);
    inserted.clear();
  }

private:
  /// From `op` upwards to what `composite` reads, possibly through ops that the same rewrite has made.
  void record(Operation *op, Operation *composite) {
    SmallPtrSet<Value, 8> border;
    SmallVector<Operation *> made{composite}, replaced{op};
    for (size_t i = 0; i < made.size(); ++i)
      for (Value operand : made[i]->getOperands()) {
        Operation *maker = operand.getDefiningOp();
        if (maker && inserted.contains(maker))
          made.push_back(maker);
        else
          border.insert(operand);
      }
    SmallPtrSet<Operation *, 16> seen{op};
    for (size_t i = 0; i < replaced.size(); ++i)
      for (Value operand : replaced[i]->getOperands())
        if (Operation *maker = operand.getDefiningOp(); maker && !border.contains(operand) && !isConstantExpr(maker))
          if (seen.insert(maker).second)
            replaced.push_back(maker);
    // One op is another spelling, no subgraph.
    if (replaced.size() == 1 && !hasOrigins(op->getLoc()))
      return;
    SmallVector<Location> parts;
    for (Operation *part : llvm::reverse(replaced))
      parts.push_back(part->getLoc());
    composite->setLoc(withOrigins(composite->getLoc(), parts));
  }

  /// Ops of the rewrite that is going on.
  SmallPtrSet<Operation *, 8> inserted;
};

struct RaiseComposites : mlir::ane::impl::RaiseCompositesBase<RaiseComposites> {
  using RaiseCompositesBase::RaiseCompositesBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    raise::populateLinear(patterns);
    raise::populateMovement(patterns);
    raise::populateActivations(patterns);
    raise::populateSoftmax(patterns);
    raise::populateNorms(patterns);
    raise::populateRope(patterns);
    raise::populateAttention(patterns);
    raise::populateStates(patterns);
    RecordOrigins listener;
    GreedyRewriteConfig config;
    config.listener = &listener;
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config);
    RewritePatternSet rest(&getContext());
    raise::populateGroupedProducts(rest);
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(rest));
  }
};
} // namespace
