//===- WeightConstants.cpp - constants that a program has as weights ------===//

#include "ane/Constraint/WeightConstants.h"
#include "ane/IR/ANE.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;

/// An expression is one record, whatever it is computed from; only a compressed weight keeps the records that it is
/// expanded from.
void WeightConstants::addExpression(Value constant) {
  Operation *op = constant.getDefiningOp();
  auto mil = dyn_cast<MILSpellingOpInterface>(op);
  if (!mil || !mil.hasArgumentsInBrackets()) {
    records.insert(op);
    return;
  }
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp())
      addExpression(operand);
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
