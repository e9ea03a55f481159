//===- StateAccess.h - ops that access states ------------------*- C++ -*-===//
#ifndef ANE_IR_STATEACCESS_H
#define ANE_IR_STATEACCESS_H

#include "ane/IR/ANE.h"

#define GET_OP_CLASSES
#include "ane/IR/StateAccess.h.inc"

namespace mlir::ane {

/// Whether an op reads or writes a state. Such ops stand in the plan, and are neither for the engine nor for the CPU.
bool isStateAccess(Operation *op);

/// The symbol of the state that an access names.
StringAttr stateOf(Operation *access);

} // namespace mlir::ane

#endif // ANE_IR_STATEACCESS_H
