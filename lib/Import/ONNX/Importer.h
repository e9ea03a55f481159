//===- Importer.h - an ONNX model as a function of ane ops -----*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_IMPORTER_H
#define ANE_LIB_IMPORT_ONNX_IMPORTER_H

#include "../EqualWeights.h"
#include "Declared.h"
#include "Dimensions.h"
#include "Functions.h"
#include "Liveness.h"
#include "NodeBinder.h"
#include "States.h"
#include "UnsupportedOps.h"
#include <map>
#include <set>

namespace mlir::ane::onnx_import {

/// The names that a graph defines, and what its nodes are read by.
struct Scope {
  /// A value is null where its producer could not be imported.
  llvm::StringMap<Value> values;
  llvm::StringMap<const onnx::TensorProto *> initializers;
  llvm::StringMap<const onnx::SparseTensorProto *> sparseInitializers;
  const Opsets *opsets;
  /// What stands before the names of nodes: "node/3/" in an iteration of a loop.
  std::string prefix;
  /// Names of outer scopes are not visible: the body of a function.
  bool isIsolated = false;
};

/// Imports the graph of a model into one block. Inner graphs and functions are imported in place, as often as they are
/// used.
class Importer : public GraphImporter {
public:
  Importer(Model &model, MLIRContext *context)
      : model(model), builder(context), fileName(builder.getStringAttr(model.path())), functions(model.proto()),
        unsupported(functions) {}

  FailureOr<OwningOpRef<ModuleOp>> run(const ONNXImportOptions &options);

  std::optional<SmallVector<Value>> importGraph(const onnx::GraphProto &graph, ArrayRef<Value> inputs,
                                                const std::string &prefix, std::string &problem) override;

private:
  InFlightDiagnostic fail() { return emitError(FileLineColLoc::get(fileName, 0, 0)); }
  Location nodeLoc(StringRef name, int64_t index) {
    return NameLoc::get(builder.getStringAttr(name), FileLineColLoc::get(fileName, index + 1, 0));
  }

  bool checkOpset(std::string &problem);
  /// The nodes of `graph`, in the innermost scope.
  void importNodes(const onnx::GraphProto &graph);
  void importNode(const onnx::NodeProto &node, int64_t index, const llvm::StringSet<> &used);
  std::optional<SmallVector<Value>> importCall(const onnx::NodeProto &node, const Function &function,
                                               ArrayRef<Value> inputs, const std::string &name, std::string &problem);
  /// Whether one more graph of `weight` nodes, named `prefix`, stays within the limits.
  bool admit(uint64_t weight, StringRef prefix, std::string &problem);
  /// Imports `graph` in a scope of its own. Null with a `problem`, or null where nodes inside failed.
  std::optional<SmallVector<Value>> importInScope(const onnx::GraphProto &graph, ArrayRef<Value> inputs, Scope scope,
                                                  std::string &problem);
  const Liveness &livenessOf(const onnx::GraphProto &graph);
  /// The value of `name`: null if its producer failed, nothing if no graph defines it.
  std::optional<Value> lookup(StringRef name);
  /// The constant of initializer `name`: one, also where it belongs to a loop's body.
  template <typename Tensor>
  Value initializer(const Scope &scope, StringRef name, const Tensor &tensor);
  /// Notes which weight `name` is in a graph, and returns the one of equal bytes that came first.
  TypedAttr nameWeight(const Scope &scope, StringRef name, TypedAttr value, bool isTrainable);
  /// `ane.weights`. A name with different meanings in several graphs has the names of their nodes before it.
  DictionaryAttr weightsByName();
  /// `ane.parameters`.
  DictionaryAttr parametersByName();
  /// A constant of its own, by another name than that of the initializer that it is read from: exporters make one
  /// initializer of parameters of equal values.
  Value namedApart(Value constant, StringRef name);
  /// What the node reads, where training tells apart what the file does not.
  void separateParameters(const onnx::NodeProto &node, const std::string &name, MutableArrayRef<Value> inputs);
  void markBatchNorm(const onnx::NodeProto &node, ArrayRef<Value> results);
  void define(StringRef name, Value value);
  void checkBorderNames(const onnx::GraphProto &graph);
  SmallVector<StateOp> createStates(ArrayRef<ModelInput> inputs, ArrayRef<ModelState> states);
  bool writeStates(const onnx::GraphProto &graph, ArrayRef<ModelState> states, ArrayRef<StateOp> symbols,
                   SmallVectorImpl<Value> &outputs, SmallVectorImpl<Attribute> &names);
  bool collectOutputs(const onnx::GraphProto &graph, SmallVectorImpl<Value> &outputs);
  /// An output whose size only the data know: as large as the model declares it, or with room for the most and a
  /// warning.
  Value boundedOutput(const onnx::ValueInfoProto &output, Value value, const BoundedValues::Room &room);
  InFlightDiagnostic report();

  Model &model;
  OpBuilder builder;
  StringAttr fileName;
  FunctionLibrary functions;
  UnsupportedOps unsupported;
  std::vector<Scope> scopes;
  std::vector<const Function *> calls;
  /// Bodies of called functions. Addresses of graphs and tensors are keys below: all live until the import ends.
  std::vector<std::unique_ptr<onnx::GraphProto>> bodies;
  std::map<const onnx::GraphProto *, Liveness> livenesses;
  std::map<const onnx::GraphProto *, uint64_t> weights;
  std::map<const void *, Value> constants;
  EqualWeights equalWeights;
  /// Weights by their names, with the prefix of their graph. Each is #ane.weight, or a type where the elements stand in
  /// the IR.
  std::map<std::string, SmallVector<std::pair<std::string, Attribute>, 1>> weightNames;
  std::set<std::string> trainableNames;
  /// Of a model that is trained; null of another.
  std::optional<Declared> declared;
  std::optional<bool> batchStatistics;
  bool hasBatchNorm = false;
  std::set<std::string> apartNames, literalNames;
  /// Node of the model's own graph that is being imported.
  int64_t outermostIndex = 0;
  uint64_t nestedNodes = 0;
  std::vector<std::string> problems;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_IMPORTER_H
