//===- CoreML.h - models of Core ML in -------------------------*- C++ -*-===//
//
// A package (.mlpackage), a model file (.mlmodel) that holds a program, and a compiled model (.mlmodelc) are read as MIL
// programs: runtime/format/coreml makes the syntax tree of MIL text from them, and ane/Target/MIL reads that.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_TARGET_COREML_COREML_H
#define ANE_TARGET_COREML_COREML_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlir::ane::coreml {

/// The model at `path` as a module of phase input. Inputs, outputs and states are called as the model calls them; an
/// image is the tensor that the program gets of it, and of a classifier the probabilities are what is returned. An error
/// is emitted for what is no model, damaged, or no program.
OwningOpRef<ModuleOp> importModel(llvm::StringRef path, MLIRContext *context);

} // namespace mlir::ane::coreml

#endif // ANE_TARGET_COREML_COREML_H
