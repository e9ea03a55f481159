//===- Diagnostics.cpp - the shape of messages about models ---------------===//

#include "ane/Support/Diagnostics.h"
#include "mlir/IR/Location.h"
#include <functional>

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

/// Marks a fused location as that of a composite.
static constexpr StringLiteral originsTag = "ane.recognised";

static FusedLoc dynCastOrigins(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto tag = fused ? dyn_cast_or_null<StringAttr>(fused.getMetadata()) : StringAttr();
  return tag && tag == originsTag ? fused : FusedLoc();
}

bool mlir::ane::hasOrigins(Location loc) { return bool(dynCastOrigins(loc)); }

SmallVector<std::string> mlir::ane::originsOf(Location loc) {
  SmallVector<std::string> nodes;
  if (FusedLoc fused = dynCastOrigins(loc))
    for (Location part : fused.getLocations())
      if (std::string name = nodeName(part); !name.empty())
        nodes.push_back(std::move(name));
  return nodes;
}

Location mlir::ane::withOrigins(Location loc, ArrayRef<Location> parts) {
  SmallVector<Location> all;
  std::function<void(Location)> flatten = [&](Location part) {
    auto fused = dyn_cast<FusedLoc>(part);
    if (!fused)
      all.push_back(part);
    else
      llvm::for_each(fused.getLocations(), flatten);
  };
  flatten(loc);
  llvm::for_each(parts, flatten);
  return FusedLoc::get(all, StringAttr::get(loc.getContext(), originsTag), loc.getContext());
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
                                  << subjectName(op) << (message.advice ? " meets " : " violates ")
                                  << message.constraint << " " << message.slug << " on " << message.target << ": "
                                  << message.finding;
  attachNodeNote(diagnostic, op);
  if (!message.declined.empty())
    diagnostic.attachNote() << message.declined;
  if (!message.remedy.empty())
    diagnostic.attachNote() << "remedy: " << message.remedy;
  diagnostic.attachNote() << "see 'ane-compile --explain=" << message.constraint << "'";
  return diagnostic;
}
