//===- Softmax.cpp - where probabilities are computed ---------------------===//

#include "ane/Constraint/Softmax.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ane;

Value mlir::ane::softmaxOf(Operation *op) {
  if (isa<SoftmaxOp, ScaledDotProductAttentionOp>(op))
    return op->getResult(0);
  auto share = dyn_cast<RealDivOp>(op);
  if (!share || !share.getX().getDefiningOp<ExpOp>())
    return {};
  auto sizeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); };
  return sizeOf(share.getY()) < sizeOf(share.getX()) ? share.getY() : Value();
}

int64_t mlir::ane::countSoftmaxes(Block &block) {
  llvm::SmallPtrSet<Value, 32> found;
  for (Operation &op : block)
    if (Value softmax = softmaxOf(&op))
      found.insert(softmax);
  return found.size();
}
