//===- Importer.cpp - an ONNX model as a function of ane ops --------------===//

#include "Dimensions.h"
#include "NodeBinder.h"
#include "Registry.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

namespace {

/// The names that a graph defines. A value is null where its producer could not be imported.
struct Scope {
  llvm::StringMap<Value> values;
  llvm::StringMap<const onnx::TensorProto *> initializers;
};

class Importer {
public:
  Importer(Model &model, MLIRContext *context)
      : model(model), builder(context), opset(model.opset("")), fileName(builder.getStringAttr(model.path())) {}

  FailureOr<OwningOpRef<ModuleOp>> run(const ONNXImportOptions &options);

private:
  InFlightDiagnostic fail() { return emitError(FileLineColLoc::get(fileName, 0, 0)); }
  Location nodeLoc(StringRef name, int64_t index) {
    return NameLoc::get(builder.getStringAttr(name), FileLineColLoc::get(fileName, index + 1, 0));
  }

  bool checkOpset(std::string &problem);
  void findUnsupported(const onnx::GraphProto &graph);
  std::vector<std::string> describeUnsupported();
  void importGraph(const onnx::GraphProto &graph);
  void importNode(const onnx::NodeProto &node, int64_t index, const llvm::StringSet<> &used);
  void importIf(const onnx::NodeProto &node, Location loc);
  /// The value of `name`: null if its producer failed, nothing if no graph defines it.
  std::optional<Value> lookup(StringRef name);
  void define(StringRef name, Value value);
  bool collectOutputs(const onnx::GraphProto &graph, const std::vector<ModelInput> &inputs,
                      SmallVectorImpl<Value> &outputs);
  InFlightDiagnostic report();

  Model &model;
  OpBuilder builder;
  int64_t opset;
  StringAttr fileName;
  std::vector<Scope> scopes;
  /// (domain, op) -> names of its nodes, for ops without a handler.
  llvm::MapVector<std::pair<StringRef, StringRef>, std::vector<std::string>> unsupported;
  std::vector<std::string> problems;
};

} // namespace

static std::string displayName(const onnx::NodeProto &node, int64_t index) {
  if (!node.name().empty())
    return node.name();
  for (const std::string &output : node.output())
    if (!output.empty())
      return output;
  return node.op_type() + "_" + std::to_string(index);
}

//===-- liveness ------------------------------------------------------------===//

/// All names that the nodes of `graph` read or return, those of outer graphs among them.
static void collectReads(const onnx::GraphProto &graph, llvm::StringSet<> &names);

static void collectReads(const onnx::NodeProto &node, llvm::StringSet<> &names) {
  for (const std::string &input : node.input())
    names.insert(input);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.has_g())
      collectReads(attribute.g(), names);
    for (const onnx::GraphProto &graph : attribute.graphs())
      collectReads(graph, names);
  }
}

static void collectReads(const onnx::GraphProto &graph, llvm::StringSet<> &names) {
  for (const onnx::NodeProto &node : graph.node())
    collectReads(node, names);
  for (const onnx::ValueInfoProto &output : graph.output())
    names.insert(output.name());
}

/// Which nodes contribute to the graph's outputs; `used` gets the names that they and the outputs read.
static std::vector<bool> findLiveNodes(const onnx::GraphProto &graph, llvm::StringSet<> &used) {
  std::vector<bool> live(graph.node_size());
  for (const onnx::ValueInfoProto &output : graph.output())
    used.insert(output.name());
  for (int i = graph.node_size() - 1; i >= 0; --i) {
    const onnx::NodeProto &node = graph.node(i);
    live[i] = llvm::any_of(node.output(), [&](const std::string &name) { return !name.empty() && used.contains(name); });
    if (live[i])
      collectReads(node, used);
  }
  return live;
}

//===-- values --------------------------------------------------------------===//

std::optional<Value> Importer::lookup(StringRef name) {
  for (Scope &scope : llvm::reverse(scopes)) {
    if (auto value = scope.values.find(name); value != scope.values.end())
      return value->second;
    auto initializer = scope.initializers.find(name);
    if (initializer == scope.initializers.end())
      continue;
    Value value;
    auto constant = model.constant(*initializer->second, ("initializer '" + name + "'").str(), builder.getContext());
    if (constant)
      value = builder.create<ConstOp>(nodeLoc(name, -1), *constant);
    else
      problems.push_back(llvm::toString(constant.takeError()));
    scope.values[name] = value;
    return value;
  }
  return std::nullopt;
}

void Importer::define(StringRef name, Value value) {
  if (!scopes.back().values.try_emplace(name, value).second)
    problems.push_back(("the value '" + name + "' is defined twice").str());
}

//===-- nodes ---------------------------------------------------------------===//

void Importer::importNode(const onnx::NodeProto &node, int64_t index, const llvm::StringSet<> &used) {
  std::string name = displayName(node, index);
  auto defineAll = [&](ArrayRef<Value> values) {
    for (int i = 0; i < node.output_size(); ++i)
      if (!node.output(i).empty())
        define(node.output(i), size_t(i) < values.size() ? values[i] : Value());
  };
  bool isIf = node.domain().empty() && node.op_type() == "If";
  const Registry::Entry *entry =
      isIf ? nullptr : Registry::get().lookup(node.domain(), node.op_type(), model.opset(node.domain()));
  if (!entry && !isIf) {
    unsupported[{node.domain(), node.op_type()}].push_back(name);
    return defineAll({});
  }

  SmallVector<Value> inputs;
  bool poisoned = false;
  for (const std::string &input : node.input()) {
    if (input.empty()) {
      inputs.push_back(nullptr);
      continue;
    }
    std::optional<Value> value = lookup(input);
    if (!value)
      problems.push_back("node '" + name + "' (" + node.op_type() + "): input '" + input +
                         "' is no input, initializer or result of an earlier node");
    poisoned |= !value || !*value;
    inputs.push_back(value.value_or(Value()));
  }
  if (poisoned)
    return defineAll({});
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();

  Location loc = nodeLoc(name, index);
  if (isIf)
    return importIf(node, loc);
  SmallVector<bool> wanted;
  for (const std::string &output : node.output())
    wanted.push_back(!output.empty() && used.contains(output));
  NodeBinder binder(node, entry->since, loc, inputs, wanted, model, builder);
  {
    // Diagnostics of inference, verification and weight files become the node's error.
    ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
      binder.error(diagnostic.str());
      return success();
    });
    entry->handler(binder);
  }
  binder.finish();
  if (binder)
    return defineAll(binder.getResults());
  problems.push_back("node '" + name + "' (" + node.op_type() + "): " + binder.getProblem().str());
  defineAll({});
}

/// `If` with a constant condition, which shape computations leave, is the branch that it takes.
void Importer::importIf(const onnx::NodeProto &node, Location loc) {
  auto fail = [&](const Twine &message) {
    problems.push_back(("node '" + cast<NameLoc>(loc).getName().getValue() + "' (If): " + message).str());
    for (const std::string &output : node.output())
      if (!output.empty())
        define(output, nullptr);
  };
  std::optional<Value> condition = node.input_size() == 1 ? lookup(node.input(0)) : std::nullopt;
  DenseIntElementsAttr constant;
  if (!condition || !matchPattern(*condition, m_Constant(&constant)) || constant.getNumElements() != 1)
    return fail("the condition must be constant once all dimensions are bound");
  StringRef branchName = constant.getSplatValue<APInt>().isZero() ? "else_branch" : "then_branch";
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() != branchName)
      continue;
    const onnx::GraphProto &graph = attribute.g();
    if (graph.output_size() != node.output_size())
      return fail("the branch returns " + Twine(graph.output_size()) + " values, the node " +
                  Twine(node.output_size()));
    scopes.emplace_back();
    importGraph(graph);
    SmallVector<Value> values;
    for (const onnx::ValueInfoProto &output : graph.output())
      values.push_back(lookup(output.name()).value_or(Value()));
    scopes.pop_back();
    for (auto [output, value] : llvm::zip(node.output(), values))
      if (!output.empty())
        define(output, value);
    return;
  }
  fail("attribute '" + branchName + "' is missing");
}

void Importer::importGraph(const onnx::GraphProto &graph) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    scopes.back().initializers.try_emplace(tensor.name(), &tensor);
  llvm::StringSet<> used;
  std::vector<bool> live = findLiveNodes(graph, used);
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    if (used.contains(tensor.values().name()))
      problems.push_back("initializer '" + tensor.values().name() + "' is sparse, which is not supported");
  for (int i = 0; i < graph.node_size(); ++i)
    if (live[i])
      importNode(graph.node(i), i, used);
}

//===-- the model -----------------------------------------------------------===//

bool Importer::checkOpset(std::string &problem) {
  if (!model.proto().has_graph())
    problem = "the file holds no graph: it is damaged or not an ONNX model";
  else if (model.proto().opset_import_size() == 0)
    problem = "the model imports no operator set: the file is truncated or damaged";
  else if (opset == 0)
    problem = "the model does not import the default operator set ai.onnx";
  else if (opset < minOpset || opset > maxOpset)
    problem = "the model uses opset " + std::to_string(opset) + "; supported: " + std::to_string(minOpset) + " to " +
              std::to_string(maxOpset) + " (convert it with onnx.version_converter)";
  return problem.empty();
}

/// Ops without a handler, before anything is imported.
void Importer::findUnsupported(const onnx::GraphProto &graph) {
  llvm::StringSet<> used;
  std::vector<bool> live = findLiveNodes(graph, used);
  for (int i = 0; i < graph.node_size(); ++i) {
    const onnx::NodeProto &node = graph.node(i);
    bool isIf = node.domain().empty() && node.op_type() == "If";
    if (live[i] && !isIf && !Registry::get().lookup(node.domain(), node.op_type(), model.opset(node.domain())))
      unsupported[{node.domain(), node.op_type()}].push_back(displayName(node, i));
  }
}

std::vector<std::string> Importer::describeUnsupported() {
  constexpr size_t maxNames = 8;
  std::vector<std::string> lines;
  for (auto &[key, nodes] : unsupported) {
    std::string line = "op " + key.second.str() + " (domain '" + (key.first.empty() ? "ai.onnx" : key.first.str()) +
                       "', opset " + std::to_string(model.opset(key.first)) + "): " + std::to_string(nodes.size()) +
                       (nodes.size() == 1 ? " node: '" : " nodes: '");
    size_t shown = std::min(nodes.size(), maxNames);
    line += llvm::join(nodes.begin(), nodes.begin() + shown, "', '") + "'";
    if (nodes.size() > shown)
      line += " and " + std::to_string(nodes.size() - shown) + " more";
    SmallVector<int64_t> versions = Registry::get().versions(key.first, key.second);
    if (!versions.empty())
      line += " (supported from opset " + std::to_string(versions.front()) + ")";
    lines.push_back(line);
  }
  return lines;
}

/// One error with everything that is wrong.
InFlightDiagnostic Importer::report() {
  constexpr size_t maxLines = 100;
  std::vector<std::string> lines = describeUnsupported();
  size_t ops = lines.size();
  llvm::append_range(lines, problems);
  InFlightDiagnostic diagnostic = fail() << "the model can't be imported: ";
  if (ops)
    diagnostic << ops << (ops == 1 ? " op is" : " ops are") << " not supported";
  if (!problems.empty())
    diagnostic << (ops ? ", " : "") << problems.size()
               << (problems.size() == 1 ? " part has an error" : " parts have errors");
  for (const std::string &line : ArrayRef(lines).take_front(maxLines))
    diagnostic << "\n  " << line;
  if (lines.size() > maxLines)
    diagnostic << "\n  and " << lines.size() - maxLines << " more";
  return diagnostic;
}

bool Importer::collectOutputs(const onnx::GraphProto &graph, const std::vector<ModelInput> &inputs,
                              SmallVectorImpl<Value> &outputs) {
  if (graph.output_size() == 0)
    problems.push_back("the graph has no outputs");
  for (const onnx::ValueInfoProto &output : graph.output()) {
    std::optional<Value> value = lookup(output.name());
    if (!value)
      problems.push_back("output '" + output.name() + "' is not defined by any node, initializer or input");
    outputs.push_back(value.value_or(Value()));
    if (!outputs.back() || output.type().value_case() != onnx::TypeProto::kTensorType)
      continue;
    auto declared = output.type().tensor_type();
    auto type = cast<RankedTensorType>(outputs.back().getType());
    if (declared.elem_type() && type.getElementType() != elementType(declared.elem_type(), builder.getContext())) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      problems.push_back("output '" + output.name() + "' is declared with elements of type " +
                         dataTypeName(declared.elem_type()) + ", but is computed as " + text);
    }
  }
  return unsupported.empty() && problems.empty();
}

FailureOr<OwningOpRef<ModuleOp>> Importer::run(const ONNXImportOptions &options) {
  std::string opsetProblem;
  if (!checkOpset(opsetProblem))
    return fail() << opsetProblem, failure();
  auto inputs = bindInputs(model, options, builder.getContext());
  if (!inputs) {
    // Whoever has to bind dimensions should know at once if that would be in vain.
    findUnsupported(model.proto().graph());
    std::string ops;
    for (const std::string &line : describeUnsupported())
      ops += "\n  " + line + " is not supported";
    return fail() << llvm::toString(inputs.takeError()) << ops, failure();
  }

  Location fileLoc = FileLineColLoc::get(fileName, 0, 0);
  OwningOpRef<ModuleOp> module = ModuleOp::create(fileLoc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> inputTypes;
  for (const ModelInput &input : *inputs)
    inputTypes.push_back(input.type);
  auto function = builder.create<func::FuncOp>(fileLoc, "main", builder.getFunctionType(inputTypes, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  scopes.emplace_back();
  for (auto [input, argument] : llvm::zip(*inputs, body->getArguments())) {
    argument.setLoc(nodeLoc(input.name, -1));
    define(input.name, argument);
  }

  const onnx::GraphProto &graph = model.proto().graph();
  SmallVector<Value> outputs;
  importGraph(graph);
  if (!collectOutputs(graph, *inputs, outputs))
    return report(), failure();

  builder.create<func::ReturnOp>(fileLoc, outputs);
  function.setType(builder.getFunctionType(inputTypes, ValueRange(outputs).getTypes()));
  for (auto [i, input] : llvm::enumerate(*inputs))
    function.setArgAttr(i, "ane.io_name", builder.getStringAttr(input.name));
  for (auto [i, output] : llvm::enumerate(graph.output()))
    function.setResultAttr(i, "ane.io_name", builder.getStringAttr(output.name()));
  // What folding left behind.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return module;
}

FailureOr<OwningOpRef<ModuleOp>> mlir::ane::importONNX(StringRef path, const ONNXImportOptions &options,
                                                       MLIRContext *context) {
  context->loadDialect<ANEDialect, func::FuncDialect>();
  auto model = Model::load(path);
  if (!model)
    return emitError(FileLineColLoc::get(context, path, 0, 0)) << llvm::toString(model.takeError()), failure();
  return Importer(**model, context).run(options);
}
