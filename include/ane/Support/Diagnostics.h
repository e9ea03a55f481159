//===- Diagnostics.h - the shape of messages about models ------*- C++ -*-===//
//
// The only place that builds the messages users see about constraints:
//
//   model.onnx:12:0: error: 'ane.conv' violates C16 channels on h16 (in_memory, macOS 15): input channels: 98304, limit
//   31999 note: imported from ONNX node '/encoder/conv1' note: remedy: ... note: see 'ane-compile --explain=C16'
//
//===----------------------------------------------------------------------===//
#ifndef ANE_SUPPORT_DIAGNOSTICS_H
#define ANE_SUPPORT_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace mlir::ane {

/// Name of the model's node that a location comes from: the outermost NameLoc; of a fused location the first that has
/// one. Empty when there is none.
std::string nodeName(Location loc);

/// `loc`, which stays the first part, as the location of a composite that was recognised in ops at `parts`.
Location withOrigins(Location loc, ArrayRef<Location> parts);
/// Whether `loc` is the location of such a composite, and the model's nodes that it was made of.
bool hasOrigins(Location loc);
SmallVector<std::string> originsOf(Location loc);

/// The parts of a message about a violated constraint.
struct ViolationMessage {
  std::string constraint; // "C16"
  std::string slug;       // "channels"
  std::string target;     // "h16 (in_memory, macOS 15)"
  std::string finding;    // "input channels: 98304, limit 31999"
  std::string remedy;     // what makes it hold, or what happens instead
  std::string declined;   // why a legaliser did not do it; empty when none was asked
  bool advice = false;    // a warning about speed or accuracy, not an error
};

/// Emits the error, or the warning, with its notes.
InFlightDiagnostic emitViolation(Operation *op, const ViolationMessage &message);

/// Adds the note about the model's node, when the op's location has one.
void attachNodeNote(InFlightDiagnostic &diagnostic, Operation *op);

} // namespace mlir::ane

#endif // ANE_SUPPORT_DIAGNOSTICS_H
