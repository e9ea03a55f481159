//===- Softmax.h - where probabilities are computed ------------*- C++ -*-===//
#ifndef ANE_CONSTRAINT_SOFTMAX_H
#define ANE_CONSTRAINT_SOFTMAX_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// What tells one softmax from another, if `op` is one, or gives a part of one that is spelled out, exp(x) / sums: the
/// result, or the sums, which are fewer than what they divide and the same for all parts. Null for other ops.
Value softmaxOf(Operation *op);

/// How many there are in `block`: as many as layers of attention.
int64_t countSoftmaxes(Block &block);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_SOFTMAX_H
