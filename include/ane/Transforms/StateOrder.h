//===- StateOrder.h - the order of accesses to states ----------*- C++ -*-===//
#ifndef ANE_TRANSFORMS_STATEORDER_H
#define ANE_TRANSFORMS_STATEORDER_H

#include "ane/IR/StateAccess.h"

namespace mlir::ane {

/// Fails, with an error for each fault, unless every state is read before it is changed and changed once at most, and
/// nothing uses the old value of a state behind its update, which is made in place; what is written and what is
/// returned is used at the end. Then all reads may stand first and all writes last, whatever else moves; and an order
/// that was broken shows.
LogicalResult verifyStateOrder(Block &body);

} // namespace mlir::ane

#endif // ANE_TRANSFORMS_STATEORDER_H
