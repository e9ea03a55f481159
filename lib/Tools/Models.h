//===- Models.h - the models of a compilation ------------------*- C++ -*-===//
#ifndef ANE_LIB_TOOLS_MODELS_H
#define ANE_LIB_TOOLS_MODELS_H

#include "CompileFlags.h"
#include "ane/Import/Buckets.h"
#include "ane/Import/LM.h"
#include "ane/Import/LinkModels.h"
#include "ane/Import/ModelFormat.h"
#include "ane/Import/ONNX.h"

namespace mlir::ane {

/// What the command line says of models and their inputs: FILE, or NAME=FILE for each function of the bundle. A flag
/// about an input is for all models, or, as NAME:FLAG, for one.
class Models {
public:
  /// Returns what is wrong, or an empty string.
  std::string take(const CompileFlags &flags);

  /// "prefill=prefill.onnx, decode=decode.onnx", for messages. `isShort`: without folders.
  std::string title(bool isShort = false) const;

  /// Whether `path` names the file or folder of one, whatever it is called there.
  bool reads(StringRef path) const;

  /// Reads the models into one module; fails after errors, those that are about no place through `error`.
  FailureOr<OwningOpRef<ModuleOp>> read(MLIRContext *context, function_ref<LogicalResult(const Twine &)> error) const;

private:
  FailureOr<OwningOpRef<ModuleOp>> readAll(MLIRContext *context,
                                           function_ref<LogicalResult(const Twine &)> error) const;
  LogicalResult markTrainable(ModuleOp module, function_ref<LogicalResult(const Twine &)> error) const;
  struct Model {
    std::string function, path; // no function: as the module calls its own
    ONNXImportOptions import;
    Buckets buckets;
    bool isLanguageModel = false;
    ModelFormat format = ModelFormat::ONNX;
    /// What the model is if its functions and shapes are its own: "a MIL program"; empty for ONNX.
    std::string ownShapes() const;
  };

  std::string takeModels(const CompileFlags &flags);
  /// The models that a flag is for; `text` loses the name before it.
  MutableArrayRef<Model> modelsOf(StringRef &text);
  std::string takeInputs(const CompileFlags &flags);
  std::string takeBuckets(const CompileFlags &flags);
  std::string takeLanguageModel(const CompileFlags &flags);
  std::string takeTraining(const CompileFlags &flags);
  FailureOr<OwningOpRef<ModuleOp>> readOne(const Model &model, MLIRContext *context,
                                           function_ref<LogicalResult(const Twine &)> error) const;
  LogicalResult importBuckets(const Model &model, MLIRContext *context, std::vector<NamedModel> &modules) const;

  std::vector<Model> models;
  LMImportOptions language;
  std::vector<std::string> trainable; // patterns
  bool padsAlways = false;
};

} // namespace mlir::ane

#endif // ANE_LIB_TOOLS_MODELS_H
