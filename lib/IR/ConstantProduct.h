//===- ConstantProduct.h - matrix products of constants --------*- C++ -*-===//
#ifndef ANE_LIB_IR_CONSTANTPRODUCT_H
#define ANE_LIB_IR_CONSTANTPRODUCT_H

#include "ane/IR/ConstantEval.h"

namespace mlir::ane {

/// The most products of numbers that are computed for one op at compile time: they take less than half a second.
constexpr double maxProducts = 1 << 29;

/// Whether `op` is a product of floats that is small enough to be computed at compile time.
bool canMultiply(Operation *op);

/// The value of such a product, summed in double.
ConstantBuffer multiply(Operation *op, ArrayRef<ConstantBuffer> in);

} // namespace mlir::ane

#endif // ANE_LIB_IR_CONSTANTPRODUCT_H
