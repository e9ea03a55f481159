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

/// What the user calls an op: its name, and of a procedure the program that it belongs to.
static std::string subjectName(Operation *op) {
  Operation *parent = op->getParentOp();
  if (auto symbol = op->getAttrOfType<StringAttr>("sym_name"))
    if (auto program = parent ? parent->getAttrOfType<StringAttr>("sym_name") : StringAttr())
      return ("procedure '@" + program.getValue() + "::@" + symbol.getValue() + "'").str();
  return ("'" + op->getName().getStringRef() + "'").str();
}

InFlightDiagnostic mlir::ane::emitViolation(Operation *op, const ViolationMessage &message) {
  auto severity = message.advice ? DiagnosticSeverity::Warning : DiagnosticSeverity::Error;
  InFlightDiagnostic diagnostic = op->getContext()->getDiagEngine().emit(op->getLoc(), severity)
                                  << subjectName(op) << (message.advice ? " meets " : " violates ") << message.constraint << " " << message.slug
                                  << " on " << message.target << ": " << message.finding;
  attachNodeNote(diagnostic, op);
  if (!message.declined.empty())
    diagnostic.attachNote() << message.declined;
  if (!message.remedy.empty())
    diagnostic.attachNote() << "remedy: " << message.remedy;
  diagnostic.attachNote() << "see 'ane-compile --explain=" << message.constraint << "'";
  return diagnostic;
}
