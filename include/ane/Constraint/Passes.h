//===- Passes.h - passes that check constraints ----------------*- C++ -*-===//
#ifndef ANE_CONSTRAINT_PASSES_H
#define ANE_CONSTRAINT_PASSES_H

#include "ane/IR/ANE.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ane {
#define GEN_PASS_DECL
#include "ane/Constraint/ConstraintPasses.h.inc"
#define GEN_PASS_REGISTRATION
#include "ane/Constraint/ConstraintPasses.h.inc"
} // namespace mlir::ane

#endif // ANE_CONSTRAINT_PASSES_H
