//===- ModelDiagnostics.h - prints diagnostics of models -------*- C++ -*-===//
#ifndef ANE_LIB_TOOLS_MODELDIAGNOSTICS_H
#define ANE_LIB_TOOLS_MODELDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

namespace mlir::ane {

/// Prints "model.onnx:12:0: error: ..." and its notes. Unlike upstream's handler it never quotes the file: a model is no
/// text.
class ModelDiagnostics : public ScopedDiagnosticHandler {
public:
  explicit ModelDiagnostics(MLIRContext *context);
};

} // namespace mlir::ane

#endif // ANE_LIB_TOOLS_MODELDIAGNOSTICS_H
