//===- Diagnostics.cpp - the shape of messages about models ---------------===//

#include "ane/Support/Diagnostics.h"
#include "mlir/IR/Location.h"

using namespace mlir;
using namespace mlir::ane;

std::string mlir::ane::nodeName(Location loc) {
  if (auto name = dyn_cast<NameLoc>(loc))
    return name.getName().str();
  if (auto fused = dyn_cast<FusedLoc>(loc))
    for (Location part : fused.getLocations())
      if (std::string name = nodeName(part); !name.empty())
        return name;
  if (auto call = dyn_cast<CallSiteLoc>(loc))
    return nodeName(call.getCallee());
  return {};
}

void mlir::ane::attachNodeNote(InFlightDiagnostic &diagnostic, Operation *op) {
  if (std::string name = nodeName(op->getLoc()); !name.empty())
    diagnostic.attachNote() << "imported from ONNX node '" << name << "'";
}

InFlightDiagnostic mlir::ane::emitViolation(Operation *op, const ViolationMessage &message) {
  InFlightDiagnostic diagnostic = mlir::emitError(op->getLoc())
                                  << "'" << op->getName() << "' violates " << message.constraint << " " << message.slug
                                  << " on " << message.target << ": " << message.finding;
  attachNodeNote(diagnostic, op);
  if (!message.declined.empty())
    diagnostic.attachNote() << message.declined;
  if (!message.remedy.empty())
    diagnostic.attachNote() << "remedy: " << message.remedy;
  diagnostic.attachNote() << "see 'ane-compile --explain=" << message.constraint << "'";
  return diagnostic;
}
