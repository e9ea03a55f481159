//===- ConstantSources.cpp - weights behind constants ---------------------===//

#include "ane/Constraint/ConstantSources.h"
#include "ane/IR/DialectAttrs.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

SmallVector<ConstOp> mlir::ane::weightsOf(Value value) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  getBackwardSlice(value, &slice, options);
  SmallVector<ConstOp> weights;
  for (Operation *op : slice)
    op->walk([&](ConstOp constant) { // which may stand in a blob
      if (isa<WeightAttr>(constant.getValue()))
        weights.push_back(constant);
    });
  return weights;
}

void mlir::ane::markDecisive(Value value) {
  for (ConstOp weight : weightsOf(value))
    attrs::decides.set(weight, UnitAttr::get(weight.getContext()));
}

ConstantSources::ConstantSources(Region &expression) {
  expression.walk([&](Operation *op) {
    if (auto leaf = dyn_cast<ConstOp>(op))
      add(leaf);
    else if (!isa<YieldOp, BlobOp>(op))
      ops.insert(op->getName().stripDialect());
  });
}

void ConstantSources::add(ConstOp leaf) {
  if (isa<WeightAttr>(leaf.getValue()) && !llvm::is_contained(weights, leaf.getValue()))
    weights.push_back(leaf.getValue());
  decide |= attrs::decides.isOn(leaf);
}

std::string ConstantSources::obstacle(bool known) const {
  if (decide)
    return "its elements have decided how the model was compiled";
  return known ? "" : "computed by " + llvm::join(ops, ", ");
}
