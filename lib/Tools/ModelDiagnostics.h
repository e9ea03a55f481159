//===- ModelDiagnostics.h - prints messages about models -------*- C++ -*-===//
#ifndef ANE_LIB_TOOLS_MODELDIAGNOSTICS_H
#define ANE_LIB_TOOLS_MODELDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ane {

/// Prints what the compiler has to say on standard error.
///
/// Text: "model.onnx:12:0: error: ..." and its notes. Unlike upstream's handler it never quotes the file: a model is no
/// text. JSON: one object a line, for programs that start the compiler:
///
///   {"severity":"error","message":"...","node":"/encoder/conv1","location":"model.onnx:12:0","notes":["..."]}
///
/// severity is error, warning, remark, note or progress; node and location are absent when unknown, notes when there
/// are none.
class ModelDiagnostics : public ScopedDiagnosticHandler {
public:
  ModelDiagnostics(MLIRContext *context, bool json);

  /// A message that is not about a place in the model. `severity` is one of the above.
  void say(StringRef severity, const Twine &message) const;

private:
  void print(Diagnostic &diagnostic);

  const bool json;
  /// Each once: several passes may find the same.
  llvm::StringSet<> said;
};

} // namespace mlir::ane

#endif // ANE_LIB_TOOLS_MODELDIAGNOSTICS_H
