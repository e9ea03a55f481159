//===- Elementwise.h - one lane of element-wise ops ------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_ELEMENTWISE_H
#define ANE_LIB_HOST_ELEMENTWISE_H

#include "Scalar.h"
#include "ane/IR/ANE.h"

namespace mlir::ane::host {

/// Builds one lane of `op`: `x` holds one scalar or vector per operand, of the compute type of the operand's elements.
using ElementwiseFn = Value (*)(Scalar &s, Operation *op, ValueRange x);

struct ElementwiseInfo {
  ElementwiseFn emit;
  /// Costs no more than a load: computed again where it is needed rather than stored.
  bool cheap;
};

/// The builder of an element-wise op (NumPy broadcasting between operands), or null.
const ElementwiseInfo *lookupElementwise(Operation *op);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_ELEMENTWISE_H
