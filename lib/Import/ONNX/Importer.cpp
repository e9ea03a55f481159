//===- Importer.cpp - an ONNX model as a function of ane ops --------------===//
//
// The module and its function, and what is said about models that can't be imported. Nodes: Nodes.cpp.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Registry.h"
#include "ane/IR/FunctionAttrs.h"
#include "ane/IR/Training.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

bool Importer::checkOpset(std::string &problem) {
  int64_t opset = opsetOf(model.proto().opset_import(), "");
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

/// One error with everything that is wrong.
InFlightDiagnostic Importer::report() {
  constexpr size_t maxLines = 100;
  std::vector<std::string> lines = unsupported.describe();
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

/// The names of inputs and outputs become those of files and arguments.
void Importer::checkBorderNames(const onnx::GraphProto &graph) {
  llvm::StringSet<> outputs;
  for (const onnx::ValueInfoProto &output : graph.output())
    if (!outputs.insert(output.name()).second)
      problems.push_back("output '" + output.name() + "' is listed twice");
  for (const auto *list : {&graph.input(), &graph.output()})
    for (const onnx::ValueInfoProto &value : *list)
      if (StringRef(value.name()).contains('\0'))
        problems.push_back("the name '" + value.name() + "' holds a NUL byte");
}

bool Importer::collectOutputs(const onnx::GraphProto &graph, SmallVectorImpl<Value> &outputs) {
  if (graph.output_size() == 0)
    problems.push_back("the graph has no outputs");
  for (const onnx::ValueInfoProto &output : graph.output()) {
    std::optional<Value> value = lookup(output.name());
    if (!value)
      problems.push_back("output '" + output.name() + "' is not defined by any node, initializer or input");
    outputs.push_back(value.value_or(Value()));
    if (outputs.back() && !isa<RankedTensorType>(outputs.back().getType())) {
      problems.push_back("output '" + output.name() + "' is a sequence or an optional; only tensors can be returned");
      continue;
    }
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
  for (auto [output, value] : llvm::zip(graph.output(), outputs))
    if (const BoundedValues::Room *room = bounded.lookup(value); room && problems.empty())
      value = boundedOutput(output, value, *room);
  if (llvm::is_contained(outputs, Value()) && unsupported.empty() && problems.empty())
    problems.push_back("an output could not be built");
  return unsupported.empty() && problems.empty();
}

Value Importer::boundedOutput(const onnx::ValueInfoProto &output, Value value, const BoundedValues::Room &room) {
  SmallVector<int64_t> begin, size(cast<RankedTensorType>(value.getType()).getShape());
  begin.resize(size.size(), 0);
  const onnx::TensorShapeProto &declared = output.type().tensor_type().shape();
  bool isStatic = declared.dim_size() == int(size.size()) && declared.dim(room.axis).has_dim_value();
  if (!isStatic || declared.dim(room.axis).dim_value() > size[room.axis]) {
    emitWarning(FileLineColLoc::get(fileName, 0, 0))
        << "output '" << output.name() << "' has room for " << size[room.axis] << " entries along axis " << room.axis
        << ": only the data know how many " << room.maker << " gives; behind those stands " << room.filler
        << ", and what is computed from that means nothing";
    return value;
  }
  int64_t most = declared.dim(room.axis).dim_value();
  if (most < size[room.axis])
    checks.push_back({room.count, {"output '" + output.name() + "', entries that " + room.maker + " gives", most, {}}});
  size[room.axis] = most;
  return builder.create<SliceBySizeOp>(nodeLoc(output.name(), -1), value, begin, size);
}

/// An op for each state, called like its input. Names that begin with "main" are those of the compiler's functions.
SmallVector<StateOp> Importer::createStates(ArrayRef<ModelInput> inputs, ArrayRef<ModelState> states) {
  SmallVector<StateOp> symbols;
  for (auto [input, state] : llvm::zip(inputs, states)) {
    bool isTaken = StringRef(input.name).starts_with("main");
    auto symbol =
        builder.create<StateOp>(nodeLoc(input.name, -1), isTaken ? "state." + input.name : input.name, input.type);
    if (isTaken)
      attrs::ioName.set(symbol, builder.getStringAttr(input.name));
    if (state.initial)
      attrs::initial.set(symbol, state.initial);
    symbols.push_back(symbol);
  }
  return symbols;
}

/// A run moves all entries of such states to make room at their end.
static void warnOfGrowth(ArrayRef<StateOp> states) {
  if (states.empty())
    return;
  int64_t bytes = 0;
  for (StateOp state : states) {
    auto type = cast<RankedTensorType>(state.getType());
    bytes += type.getNumElements() * type.getElementTypeBitWidth() / 8;
  }
  StateOp first = states.front();
  emitWarning(first.getLoc()) << states.size() << (states.size() == 1 ? " state grows" : " states grow")
                              << " by what a run adds, such as '" << first.getSymName() << "', and each run writes all "
                              << bytes << " bytes anew; of caches with room for all tokens, which the model writes at "
                              << "positions (an export with a static cache), a run writes the new entries only";
}

/// Writes the outputs that are states, and leaves the others and their names.
bool Importer::writeStates(const onnx::GraphProto &graph, ArrayRef<ModelState> states, ArrayRef<StateOp> symbols,
                           SmallVectorImpl<Value> &outputs, SmallVectorImpl<Attribute> &names) {
  SmallVector<Value> returned;
  SmallVector<std::pair<StateOp, Value>> written;
  SmallVector<StateOp> grown;
  for (auto [output, value] : llvm::zip(graph.output(), outputs)) {
    auto state = llvm::find_if(states, [&](const ModelState &state) { return state.output == output.name(); });
    if (state == states.end()) {
      returned.push_back(value);
      names.push_back(builder.getStringAttr(output.name()));
      continue;
    }
    StateOp symbol = symbols[state - states.begin()];
    std::string problem;
    Value next = nextValue(builder, nodeLoc(output.name(), -1), *state, cast<RankedTensorType>(symbol.getType()), value,
                           problem);
    if (next)
      written.push_back({symbol, next});
    else
      problems.push_back(problem);
    if (next && next != value)
      grown.push_back(symbol);
  }
  warnOfGrowth(grown);
  for (auto [symbol, next] : written)
    builder.create<WriteStateOp>(symbol.getLoc(), symbol.getSymName(), next);
  outputs.assign(returned);
  return problems.empty();
}

FailureOr<OwningOpRef<ModuleOp>> Importer::run(const ONNXImportOptions &options) {
  std::string opsetProblem;
  if (!checkOpset(opsetProblem))
    return fail() << opsetProblem, failure();
  auto inputs = bindInputs(model, options, builder.getContext());
  if (!inputs) {
    // Whoever has to bind dimensions should know at once if that would be in vain.
    unsupported.addGraph(model.proto().graph(), model.proto().opset_import());
    std::string ops;
    for (const std::string &line : unsupported.describe())
      ops += "\n  " + line + " is not supported";
    return fail() << llvm::toString(inputs.takeError()) << ops, failure();
  }

  if (options.isTrained) {
    auto read = Declared::read(model.proto());
    if (!read)
      return fail() << llvm::toString(read.takeError()), failure();
    declared = std::move(*read);
    batchStatistics = options.batchStatistics;
  }
  if (llvm::Error error = declared ? model.keepParameters(*declared, options.trainable)
                                   : model.keepTrainable(options.trainable, !options.isOneOfSeveral))
    return fail() << llvm::toString(std::move(error)), failure();

  Location fileLoc = FileLineColLoc::get(fileName, 0, 0);
  OwningOpRef<ModuleOp> module = ModuleOp::create(fileLoc);
  builder.setInsertionPointToEnd(module->getBody());
  SmallVector<Type> inputTypes;
  auto states = findStates(model, options, *inputs);
  if (!states)
    return fail() << llvm::toString(states.takeError()), failure();
  std::vector<ModelInput> arguments, constants, stateInputs;
  for (ModelInput &input : *inputs) {
    bool isState = llvm::any_of(*states, [&](const ModelState &state) { return state.input == input.name; });
    (isState ? stateInputs : input.value ? constants : arguments).push_back(std::move(input));
  }
  SmallVector<StateOp> symbols = createStates(stateInputs, *states);
  for (const ModelInput &input : arguments)
    inputTypes.push_back(input.type);
  auto function = builder.create<func::FuncOp>(fileLoc, "main", builder.getFunctionType(inputTypes, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  scopes.emplace_back().opsets = &model.proto().opset_import();
  for (auto [input, argument] : llvm::zip(arguments, body->getArguments())) {
    argument.setLoc(nodeLoc(input.name, -1));
    define(input.name, argument);
  }
  for (const ModelInput &input : constants)
    define(input.name, builder.create<ConstOp>(nodeLoc(input.name, -1), input.value));
  for (auto [input, state] : llvm::zip(stateInputs, symbols))
    define(input.name, builder.create<ReadStateOp>(state.getLoc(), input.type, state.getSymName()));

  const onnx::GraphProto &graph = model.proto().graph();
  checkBorderNames(graph);
  SmallVector<Value> outputs;
  importNodes(graph);
  SmallVector<Attribute> inputNames, outputNames;
  if (batchStatistics.value_or(false) && !hasBatchNorm && !options.isOneOfSeveral)
    return fail() << "--batch-norm=batch: the model has no batch norm, and exporters multiply those of evaluation into "
                     "the convolutions before them; remedy: of torch.onnx.export optimize=False, or in the older one "
                     "(dynamo=False) training=TrainingMode.TRAINING",
           failure();
  if (!collectOutputs(graph, outputs) || !writeStates(graph, *states, symbols, outputs, outputNames))
    return report(), failure();

  SmallVector<Attribute> checkAttrs(outputs.size());
  for (const auto &[value, check] : checks) {
    outputs.push_back(value);
    outputNames.emplace_back();
    checkAttrs.push_back(check.toAttribute(builder.getContext()));
  }
  builder.create<func::ReturnOp>(fileLoc, outputs);
  function.setType(builder.getFunctionType(inputTypes, ValueRange(outputs).getTypes()));
  for (const ModelInput &input : arguments)
    inputNames.push_back(builder.getStringAttr(input.name));
  setArgAttrs(function, attrs::ioName, inputNames);
  setResultAttrs(function, attrs::ioName, outputNames);
  if (!checks.empty())
    setResultAttrs(function, runTimeCheckName, checkAttrs);
  if (DictionaryAttr weights = weightsByName(); !weights.empty())
    attrs::weights.set(*module, weights);
  if (DictionaryAttr parameters = parametersByName(); parameters && !parameters.empty())
    attrs::parameters.set(*module, parameters);
  if (!trainableNames.empty())
    attrs::trainable.set(*module, builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(trainableNames)));
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
