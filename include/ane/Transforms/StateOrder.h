//===- StateOrder.h - the order of accesses to states ----------*- C++ -*-===//
#ifndef ANE_TRANSFORMS_STATEORDER_H
#define ANE_TRANSFORMS_STATEORDER_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// Whether an op reads or writes a state. Such ops stand in the plan, and are neither for the engine nor for the CPU.
bool isStateAccess(Operation *op);

/// Fails, with an error for each fault, unless every state is read before it is written and written once at most. Then
/// all reads may stand first and all writes last, whatever else moves; and an order that was broken shows.
LogicalResult verifyStateOrder(Block &body);

} // namespace mlir::ane

#endif // ANE_TRANSFORMS_STATEORDER_H
