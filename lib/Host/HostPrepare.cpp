//===- HostPrepare.cpp - ops without kernels as ops with kernels ----------===//

#include "Kernel.h"
#include "Rewrites.h"
#include "ane/Host/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_HOSTPREPARE
#include "ane/Host/HostPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

static bool hasKernel(Operation *op) {
  return isa<KernelOp>(op) || isWeight(op) || isView(op) || isRowOp(op) || productKind(op) || isCopy(op) ||
         loopKind(op);
}

/// On the CPU a value is what the model says.
static void eraseNarrowing(func::FuncOp function) {
  for (NarrowOp narrow : llvm::make_early_inc_range(function.getBody().front().getOps<NarrowOp>())) {
    narrow.replaceAllUsesWith(narrow.getX());
    narrow.erase();
  }
}

static LogicalResult decomposeAll(func::FuncOp function) {
  eraseNarrowing(function);
  // New ops are visited, too: a decomposition may use ops that decompose.
  SmallVector<Operation *> work;
  for (Operation &op : function.getBody().front().without_terminator())
    work.push_back(&op);
  for (size_t i = 0; i < work.size(); ++i) {
    Operation *op = work[i];
    if (op->use_empty() && isMemoryEffectFree(op)) {
      op->erase();
      continue;
    }
    Operation *previous = op->getPrevNode(), *next = op->getNextNode();
    if (rewriteForKernels(op)) {
      Operation *first = previous ? previous->getNextNode() : &function.getBody().front().front();
      for (Operation *made = first; made != next; made = made->getNextNode())
        work.push_back(made);
      continue;
    }
    if (hasKernel(op))
      continue;
    if (auto lstm = dyn_cast<LstmOp>(op); lstm && lstm.getClip())
      return op->emitOpError("has no CPU lowering with clip");
    auto decomposable = dyn_cast<DecomposableOpInterface>(op);
    if (!decomposable)
      return op->emitOpError() << "has no CPU lowering (operands " << op->getOperandTypes() << ", results "
                               << op->getResultTypes() << ")";
    Operation *before = op->getPrevNode();
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> values = decomposable.decompose(b);
    if (failed(values))
      return op->emitOpError() << "has no CPU lowering and does not decompose (operands " << op->getOperandTypes()
                               << ", results " << op->getResultTypes() << ")";
    Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
    for (Operation *made = first; made != op; made = made->getNextNode())
      work.push_back(made);
    op->replaceAllUsesWith(*values);
    op->erase();
  }
  return success();
}

/// Whether nothing but products reads `value`, as what their rows meet.
static bool isMetByRows(Value value) {
  return llvm::all_of(value.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isView(user))
      return llvm::all_of(user->getResults(), isMetByRows);
    return isa<MatmulOp, LinearOp>(user) && use.getOperandNumber() == 1;
  });
}

/// What is given in 16 bits, such as a decoder's caches, is widened where products load it: they read most of it once,
/// and a copy in fp32 would be twice as large.
static void markWidenings(func::FuncOp function) {
  for (CastOp cast : function.getOps<CastOp>())
    if (canWiden(cast) && isa<BlockArgument>(trace(cast.getX()).root) && isMetByRows(cast.getResult()))
      cast->setAttr(widenMark, UnitAttr::get(function.getContext()));
}

namespace {
struct HostPrepare : mlir::ane::impl::HostPrepareBase<HostPrepare> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("has control flow; CPU functions are straight-line");
      return signalPassFailure();
    }
    if (failed(decomposeAll(function)))
      return signalPassFailure();
    markWidenings(function);
  }
};
} // namespace
