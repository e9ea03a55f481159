//===- ConstantSweep.h - constants along an axis ---------------*- C++ -*-===//
#ifndef ANE_LIB_IR_CONSTANTSWEEP_H
#define ANE_LIB_IR_CONSTANTSWEEP_H

#include "ane/IR/ConstantEval.h"

namespace mlir::ane {

/// Whether `op` walks along an axis (a running sum of floats, the index of an extreme) over elements that doubles hold.
bool canSweep(Operation *op);

/// The value of such an op, summed in double.
ConstantBuffer sweep(Operation *op, const ConstantBuffer &in);

} // namespace mlir::ane

#endif // ANE_LIB_IR_CONSTANTSWEEP_H
