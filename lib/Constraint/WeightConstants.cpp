//===- WeightConstants.cpp - constants that a program has as weights ------===//

#include "ane/Constraint/WeightConstants.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;

/// An expression over records, as of a compressed weight, is what they are.
void WeightConstants::addExpression(Value constant) {
  Operation *op = constant.getDefiningOp();
  bool hasRecords = false;
  SmallVector<Operation *> open{op};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!open.empty()) {
    Operation *next = open.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    if (isa<BlobOp>(next)) {
      records.insert(next);
      hasRecords = true;
    }
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        open.push_back(producer);
  }
  if (!hasRecords)
    records.insert(op);
}

void WeightConstants::add(Operation *op) {
  if (isConstantExpr(op))
    return;
  for (Value operand : op->getOperands()) {
    if (!isConstantExpr(operand))
      continue;
    if (isa<BlobOp>(operand.getDefiningOp()) ||
        cast<RankedTensorType>(operand.getType()).getNumElements() >= inlineElements)
      addExpression(operand);
    else
      hasNumber = true;
  }
}

int64_t mlir::ane::countWeightConstants(ArrayRef<Block *> bodies) {
  int64_t count = 0;
  for (Block *body : bodies) { // constants of each function are of its own
    WeightConstants constants;
    for (Operation &op : *body)
      constants.add(&op);
    count += constants.count();
  }
  return count;
}
