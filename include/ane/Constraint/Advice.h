//===- Advice.h - records about speed and accuracy -------------*- C++ -*-===//
#ifndef ANE_CONSTRAINT_ADVICE_H
#define ANE_CONSTRAINT_ADVICE_H

#include "ane/Constraint/Constraints.h"

namespace mlir::ane {

/// Whether a record about speed or accuracy, which is never enforced, finds something in the op.
bool isAdvisedAgainst(ConstraintID id, Operation *op, const TargetEnv &env);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_ADVICE_H
