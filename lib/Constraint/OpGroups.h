//===- OpGroups.h - ops that constraints name together ---------*- C++ -*-===//
#ifndef ANE_LIB_CONSTRAINT_OPGROUPS_H
#define ANE_LIB_CONSTRAINT_OPGROUPS_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

#include "ane/Constraint/OpGroups.h.inc"

/// Whether include/ane/Constraint/OpGroups.td names the op as one of that group.
bool isIn(OpGroup group, Operation *op);

} // namespace mlir::ane

#endif // ANE_LIB_CONSTRAINT_OPGROUPS_H
