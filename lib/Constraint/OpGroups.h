//===- OpGroups.h - ops that constraints name together ---------*- C++ -*-===//
#ifndef ANE_LIB_CONSTRAINT_OPGROUPS_H
#define ANE_LIB_CONSTRAINT_OPGROUPS_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

#include "ane/Constraint/OpGroups.h.inc"

/// Whether the record of the op names that group (include/ane/IR/OpGroups.td).
bool isIn(OpGroup group, Operation *op);

} // namespace mlir::ane

#endif // ANE_LIB_CONSTRAINT_OPGROUPS_H
