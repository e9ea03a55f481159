//===- ONNX.h - import of ONNX models --------------------------*- C++ -*-===//
//
// `importONNX` turns a model file into a module with one function @main of ane ops (phase "input"): static shapes, no
// shape computation left, weights named by `#ane.weight` and never copied. States are read first and written last;
// their inputs and outputs are none of the function's. Arguments and results carry the model's
// names in `ane.io_name`; locations are NameLoc(node name, model file:node index + 1:0).
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IMPORT_ONNX_H
#define ANE_IMPORT_ONNX_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::ane {

/// How the dynamic dimensions of a model's inputs are bound, and which inputs are constants.
struct ONNXImportOptions {
  /// Symbolic dimension name -> size.
  std::vector<std::pair<std::string, int64_t>> dims;
  /// The one of `dims` that --bucket binds, for messages.
  std::string bucket;
  /// Input name -> whole shape.
  std::vector<std::pair<std::string, SmallVector<int64_t>>> shapes;
  /// Input name -> value: a number, which fills the input, numbers separated by commas, or the path of a .npy file.
  std::vector<std::pair<std::string, std::string>> values;

  /// Input name -> output name of inputs that are states: the output's value is the input's in the next run.
  std::vector<std::pair<std::string, std::string>> states;
  /// Find states by the names that exporters give them, too.
  bool findStates = false;
  /// The model is one of several that the flags are for: it is no error if it has no state, or no weight that will be
  /// trained.
  bool isOneOfSeveral = false;
  /// State (its input's name) -> initial value, as in `values`; zeros where there is none.
  std::vector<std::pair<std::string, std::string>> stateValues;

  /// Patterns of names of initializers of floats that will be trained: each is a weight with a name, whatever its size,
  /// and shares its range with none that is equal. The module says which these are (ane.trainable).
  std::vector<std::string> trainable;
  /// The model is trained: the module says what the file calls parameters (ane.parameters), and where gradients stop;
  /// names of parameters are what `trainable` may have, and more.
  bool isTrained = false;
  /// Batch norms are trained with the batch's statistics; otherwise those are of which the file says so.
  std::optional<bool> batchStatistics;

  /// Adds `name=value`, the argument of --dim. Returns what is wrong with it, or an empty string.
  std::string addDim(StringRef text);
  /// Adds `input=1x3x640x640`, the argument of --shape. Returns what is wrong with it, or an empty string.
  std::string addShape(StringRef text);
  /// Adds `input=16000`, the argument of --value. Returns what is wrong with it, or an empty string.
  std::string addValue(StringRef text);
  /// Adds `input=output`, the argument of --state. Returns what is wrong with it, or an empty string.
  std::string addState(StringRef text);
  /// Adds `state=value`, the argument of --state-init. Returns what is wrong with it, or an empty string.
  std::string addStateValue(StringRef text);
};

/// Which of `outputs` is called as the next value of the state that is the input `input`, as exporters call them; empty
/// if none is.
std::string nextValueName(StringRef input, ArrayRef<std::string> outputs);

/// Imports the model in `path`. `path` is kept as it is given in weight references. Fails, after ONE diagnostic, if the
/// file is damaged, a tensor's data are missing, dimensions stay unbound, or nodes are not supported; the message lists
/// everything of its kind.
FailureOr<OwningOpRef<ModuleOp>> importONNX(StringRef path, const ONNXImportOptions &options, MLIRContext *context);

} // namespace mlir::ane

#endif // ANE_IMPORT_ONNX_H
