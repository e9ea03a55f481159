//===- Declined.cpp - why a legaliser left an op as it is -----------------===//

#include "ane/Constraint/Declined.h"
#include "ane/IR/DialectAttrs.h"

using namespace mlir;
using namespace mlir::ane;

void mlir::ane::decline(Operation *op, ConstraintID id, const Twine &why) {
  attrs::declined.set(op, HostAttr::get(op->getContext(), info(id).code, why.str()));
}

StringRef mlir::ane::declinedReason(const Violation &violation) {
  auto note = attrs::declined.get(violation.op);
  return note && note.getConstraint() == info(violation.id).code ? note.getReason() : StringRef();
}

std::string mlir::ane::storyOf(const Violation &violation) {
  StringRef reason = declinedReason(violation);
  return reason.empty() ? violation.text() : violation.text() + "; " + reason.str();
}
