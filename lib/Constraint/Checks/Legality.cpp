//===- Legality.cpp - the check of op x chip legality ----------------------===//

#include "ane/Constraint/Legality.h"
#include "../CheckHelpers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

/// Whether a record that says more refuses the op: one about this kind of op, or one that sends any op like it to the
/// CPU.
static bool isRefusedOtherwise(Operation *op, const TargetEnv &env) {
  return llvm::any_of(allConstraints(), [&](const ConstraintInfo &record) {
    bool concerns = llvm::is_contained(record.ops, op->getName().getStringRef()) || (record.anyOp && record.host);
    return concerns && record.scope == Scope::PerOp && check(record.id, op, env);
  });
}

/// Whether nothing is left of the op when the body is written in fp16.
static bool vanishes(Operation *op) {
  auto cast = dyn_cast<CastOp>(op);
  return cast && isa<FloatType>(getElementTypeOrSelf(cast.getX())) &&
         isa<FloatType>(getElementTypeOrSelf(cast.getType()));
}

namespace mlir::ane {

std::optional<Finding> checkOpLegality(Operation *op, const TargetEnv &env) {
  Legality legality = legalityOf(op, env);
  if (legality.runs() || vanishes(op) || isRefusedOtherwise(op, env))
    return std::nullopt;
  // A composite that is refused may consist of ops that are not.
  return Finding{op->getName().stripDialect().str(), legality.str(), "",
                 /*noRemedy=*/!isa<DecomposableOpInterface>(op)};
}

} // namespace mlir::ane
