//===- PlaceLayers.cpp - keep parts of layers on the CPU ------------------===//
//
// Other systems cut a layer of a transformer into two or three programs, between which the CPU computes. Nothing here
// is needed to run a model: it shows what such a partition costs. How they train is in PlaceTraining.cpp.
//
//===----------------------------------------------------------------------===//

#include "PlaceTraining.h"
#include "ane/Constraint/Constraints.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/StateAccess.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_PLACELAYERS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static SmallVector<Value> computedOperands(Operation *op) {
  return llvm::to_vector(
      llvm::make_filter_range(op->getOperands(), [](Value value) { return !isConstantExpr(value); }));
}

/// A product as attention has them.
static bool isAttention(Operation *op) {
  return isa<ScaledDotProductAttentionOp>(op) || (isa<MatmulOp>(op) && computedOperands(op).size() == 2);
}

/// A residual, where neither side is a part of an attention.
static bool isSum(Operation *op) { return isa<AddOp>(op) && computedOperands(op).size() == 2; }

namespace {
/// Says of each op in turn whether it is kept from the engine.
class AttentionOnHost {
public:
  bool operator()(Operation *op) {
    auto reads = [&](const llvm::DenseSet<Value> &values) {
      return llvm::any_of(op->getOperands(), [&](Value operand) { return values.contains(operand); });
    };
    bool isProjected = reads(projected), isMixed = reads(mixed);
    if (isAttention(op) || (isMixed && !isProjected && !isa<LinearOp>(op)))
      mixed.insert(op->result_begin(), op->result_end());
    else if (isMixed && !isProjected)
      projected.insert(op->getResult(0));
    else if (isProjected && !isSum(op))
      projected.insert(op->result_begin(), op->result_end());
    else if (!isProjected && !isSum(op))
      return false;
    return true;
  }

private:
  llvm::DenseSet<Value> mixed;     // scores, probabilities, what they weigh
  llvm::DenseSet<Value> projected; // that behind the output's linear, up to the residual
};

class OnlyLinears {
public:
  bool operator()(Operation *op) {
    SmallVector<Value> computed = computedOperands(op);
    bool isLinear = isa<LinearOp>(op) && computed.size() == 1;
    bool isPlain = isa<SiluOp, GeluOp, ReluOp, TanhOp, SigmoidOp, MulOp, ReshapeOp, TransposeOp>(op);
    if (!isLinear && !(isPlain && llvm::all_of(computed, [&](Value value) { return onEngine.contains(value); })))
      return true;
    onEngine.insert(op->getResult(0));
    return false;
  }

private:
  llvm::DenseSet<Value> onEngine;
};

struct PlaceLayers : mlir::ane::impl::PlaceLayersBase<PlaceLayers> {
  using PlaceLayersBase::PlaceLayersBase;
  void runOnOperation() override {
    if (engineParts == "all")
      return;
    if (engineParts == "no-attention")
      return place(AttentionOnHost(), "attention and residual sums are kept on the CPU");
    if (engineParts == "linears")
      return place(OnlyLinears(), "only linears and MLPs are given to the engine");
    if (engineParts == "training-static" || engineParts == "training-dynamic")
      return placeTraining(getOperation(), engineParts == "training-dynamic");
    getOperation().emitError() << "no parts '" << engineParts
                               << "' for the engine: all, no-attention, linears, training-static or training-dynamic";
    signalPassFailure();
  }

  template <typename Keeps>
  void place(Keeps keeps, StringRef reason) {
    for (Operation &op : getOperation().front().without_terminator())
      if (!isConstantExpr(&op) && !isStateAccess(&op) && keeps(&op) && !attrs::host.isOn(&op))
        attrs::host.set(&op, HostAttr::get(&getContext(), "partition", reason));
  }
};
} // namespace
