//===- Reduce.cpp - reductions --------------------------------------------===//

#include "ane/IR/ANE.h"

using namespace mlir;
using namespace mlir::ane;

/// A sum, mean, maximum, minimum or product over axes of size 1 that keeps them is its operand.
template <typename OpTy>
static OpFoldResult foldTrivial(OpTy op) {
  return op.getX().getType() == op.getType() ? OpFoldResult(op.getX()) : OpFoldResult();
}

OpFoldResult ReduceSumOp::fold(FoldAdaptor) { return foldTrivial(*this); }
OpFoldResult ReduceMeanOp::fold(FoldAdaptor) { return foldTrivial(*this); }
OpFoldResult ReduceMaxOp::fold(FoldAdaptor) { return foldTrivial(*this); }
OpFoldResult ReduceMinOp::fold(FoldAdaptor) { return foldTrivial(*this); }
OpFoldResult ReduceProdOp::fold(FoldAdaptor) { return foldTrivial(*this); }
