//===- LinkModels.h - several models as functions of one module -*- C++ -*-===//
#ifndef ANE_IMPORT_LINKMODELS_H
#define ANE_IMPORT_LINKMODELS_H

#include "ane/Import/ONNX.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <vector>

namespace mlir::ane {

/// A module of phase input or canonical with one public function, which is to be called `function`.
struct NamedModel {
  std::string function;
  OwningOpRef<ModuleOp> module;
  /// What it was imported with; null if it is no ONNX model.
  const ONNXImportOptions *options = nullptr;
};

/// What is wrong with the names of a bundle's functions, or an empty string: each is a word, no two are alike, and none
/// is what the compiler calls a program or a CPU function of another.
std::string checkFunctionNames(ArrayRef<std::string> names);

/// Makes one module, with a function for each model in their order. Weights of equal bytes become one. So do states of
/// equal name; fails, with an error that names both functions, if their types or initial values differ. A function of
/// an ONNX model writes a state of another one, too, that it doesn't read: what the options say is the state's next
/// value, or is called so, is no output of it then. There is a warning where it stays one, as the types differ.
FailureOr<OwningOpRef<ModuleOp>> linkModels(std::vector<NamedModel> models);

} // namespace mlir::ane

#endif // ANE_IMPORT_LINKMODELS_H
