//===- Prepare.cpp - make a function ready for clustering -----------------===//

#include "Constants.h"
#include "Generic.h"
#include "Layout.h"
#include "OpView.h"
#include "Plan.h"
#include "Rewrites.h"
#include "RowOps.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

bool host::isCopy(Operation *op) { return op && op->hasAttr(copyMark); }

static bool hasKernel(Operation *op) {
  return isWeight(op) || isView(op) || isRowOp(op) || isGemm(op) || isCopy(op) || hasGenericLowering(op);
}

static LogicalResult decomposeAll(func::FuncOp function) {
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

/// A returned value is written by its kernel directly where that is the only returned view of the kernel's result, and
/// shows it element for element.
static void insertCopies(func::FuncOp function) {
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::SmallPtrSet<void *, 8> taken;
  OpBuilder b(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (numElements(shapeOf(operand.get())) == 0)
      continue; // Nothing is written.
    Access access = trace(operand.get());
    Operation *producer = access.root.getDefiningOp();
    bool direct =
        producer && !isWeight(producer) && access.isDense() && elementOf(access.root) == elementOf(operand.get());
    if (direct && taken.insert(access.root.getAsOpaquePointer()).second)
      continue;
    Operation *copy = createOp(b, operand.get().getLoc(), "ane.identity", operand.get(), operand.get().getType(),
                               b.getNamedAttr(copyMark, b.getUnitAttr()));
    operand.set(copy->getResult(0));
  }
}

LogicalResult host::prepareFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("has control flow; CPU functions are straight-line");
  if (failed(decomposeAll(function)))
    return failure();
  assignLayouts(function);
  insertCopies(function);
  return success();
}
