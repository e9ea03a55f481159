//===- Dimensions.h - static shapes of a model's inputs --------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_DIMENSIONS_H
#define ANE_LIB_IMPORT_ONNX_DIMENSIONS_H

#include "Model.h"
#include "ane/Import/ONNX.h"

namespace mlir::ane::onnx_import {

/// An input of the model that a user gives (not an initializer).
struct ModelInput {
  std::string name;
  RankedTensorType type;
  /// What it always is; null for an input that is given when the model runs.
  TypedAttr value;
};

/// The candidate that is written most like `name`, as ": did you mean 'x'?", or an empty string.
std::string didYouMean(StringRef name, ArrayRef<std::string> candidates);

/// Binds the dimensions of all inputs. An error lists everything that is wrong: options that name nothing or contradict
/// the model or each other, and dimensions that stay unbound with the flags that would bind them.
llvm::Expected<std::vector<ModelInput>> bindInputs(const Model &model, const ONNXImportOptions &options,
                                                   MLIRContext *context);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_DIMENSIONS_H
