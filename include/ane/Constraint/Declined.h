//===- Declined.h - why a legaliser left an op as it is --------*- C++ -*-===//
#ifndef ANE_CONSTRAINT_DECLINED_H
#define ANE_CONSTRAINT_DECLINED_H

#include "ane/Constraint/Constraints.h"

namespace mlir::ane {

/// Notes why a legaliser leaves an op as it is. Where the record is still violated in the end, the report repeats it.
void decline(Operation *op, ConstraintID id, const llvm::Twine &why);

/// What was noted about the record that is violated; empty if nothing was.
llvm::StringRef declinedReason(const Violation &violation);

/// The finding, and why a legaliser declined if one did: the reason of a host mark.
std::string storyOf(const Violation &violation);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_DECLINED_H
