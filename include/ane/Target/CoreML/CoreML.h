//===- CoreML.h - models of Core ML in and out -----------------*- C++ -*-===//
//
// In: a package (.mlpackage), a model file (.mlmodel) that holds a program, and a compiled model (.mlmodelc) are read
// as MIL programs: runtime/format/coreml makes the syntax tree of MIL text from them, and ane/Target/MIL reads that.
// Out: the same the other way; the folder around it is written by ane/Bundle/Package.h.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_TARGET_COREML_COREML_H
#define ANE_TARGET_COREML_COREML_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "runtime/format/coreml/model.h"

namespace mlir::ane::coreml {

/// Input name -> the shape that it is to have, where the model allows several.
using InputShapes = std::vector<std::pair<std::string, SmallVector<int64_t>>>;

/// The model at `path` as a module of phase input. Inputs, outputs and states are called as the model calls them; an
/// image is the tensor that the program gets of it, and of a classifier the probabilities are what is returned. An
/// error is emitted for what is no model, damaged, or no program. Inputs whose shape may vary, and which `shapes` does
/// not name, have their default shape.
OwningOpRef<ModuleOp> importModel(llvm::StringRef path, const InputShapes &shapes, MLIRContext *context);

/// The same as it stands: one ane.program with the names of the model, as mil::deserialize gives it.
OwningOpRef<ModuleOp> readModel(llvm::StringRef path, MLIRContext *context);

struct ExportOptions {
  /// Of the package; "" is none.
  std::string summary, author, license, version;
};

/// The program of the module, and what its users see of it: features are called, and typed, as the functions' inputs
/// and outputs are. The specification is the oldest that has the program's opset and the types of its features.
FailureOr<::ane::rt::coreml::Model> exportModel(ModuleOp module, const ExportOptions &options);

} // namespace mlir::ane::coreml

#endif // ANE_TARGET_COREML_COREML_H
