//===- PlaceTraining.h - programs of layers as other trainers have -*- C++ -*-//
#ifndef ANE_LIB_TRANSFORMS_PLACETRAINING_H
#define ANE_LIB_TRANSFORMS_PLACETRAINING_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ane {

/// Whether an op changes the shape, order or type of elements alone.
bool isShapeOp(Operation *op);

/// What a value is but for such ops.
Value origin(Value value);

/// Marks the ops of `plan` that the CPU has (ane.host) and those that a program begins with (ane.cut), so that a layer
/// and its gradients are 6 programs or, as `isDynamic`, 10. A plan without layers stays as it is.
void placeTraining(func::FuncOp plan, bool isDynamic);

} // namespace mlir::ane

#endif // ANE_LIB_TRANSFORMS_PLACETRAINING_H
