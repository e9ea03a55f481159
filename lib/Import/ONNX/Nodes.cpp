//===- Nodes.cpp - import of the nodes of graphs --------------------------===//

#include "Importer.h"
#include "Registry.h"
#include "ane/IR/Training.h"
#include "ane/Support/WeightTable.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

//===-- values --------------------------------------------------------------===//

TypedAttr Importer::nameWeight(const Scope &scope, StringRef name, TypedAttr value, bool isTrainable) {
  Attribute known;
  if (auto weight = dyn_cast<WeightAttr>(value)) {
    if (isTrainable) // it will not stay like another
      trainableNames.insert(name.str());
    else
      value = equalWeights.firstAlike(weight, [&] { return fail(); });
    known = value;
  } else if (auto type = dyn_cast<RankedTensorType>(value.getType()); type && tensorBytes(type) >= inlineBytes) {
    known = TypeAttr::get(type); // no range of the file has its bytes
  }
  if (!known || name.empty())
    return value;
  auto &meanings = weightNames[name.str()];
  if (llvm::none_of(meanings, [&](const auto &meaning) { return meaning.second == known; }))
    meanings.push_back({scope.prefix, known});
  return value;
}

DictionaryAttr Importer::parametersByName() {
  if (!declared)
    return nullptr;
  SmallVector<NamedAttribute> list;
  for (const auto &[name, meanings] : weightNames)
    if (std::optional<bool> word = declared->isParameter(name))
      list.push_back(builder.getNamedAttr(name, builder.getBoolAttr(*word)));
  for (const std::string &name : apartNames)
    if (std::optional<bool> word = declared->isParameter(name); word && !weightNames.count(name))
      list.push_back(builder.getNamedAttr(name, builder.getBoolAttr(*word)));
  for (const std::string &name : literalNames)
    list.push_back(builder.getNamedAttr(name, builder.getBoolAttr(false)));
  SmallVector<StringRef> folded = declared->foldedInitializers();
  for (StringRef name : declared->lostParameters())
    list.push_back(builder.getNamedAttr(name, builder.getStrArrayAttr(folded)));
  for (const auto &name : declared->droppedParameters())
    list.push_back(builder.getNamedAttr(name.first(), builder.getArrayAttr({})));
  return builder.getDictionaryAttr(list);
}

Value Importer::namedApart(Value constant, StringRef name) {
  auto identity = builder.create<IdentityOp>(nodeLoc(name, -1), constant);
  attrs::parameterName.set(identity, builder.getStringAttr(name));
  apartNames.insert(name.str());
  return identity;
}

/// Whether all elements of a weight are equal.
static bool isSplat(Value value, function_ref<InFlightDiagnostic()> emitError) {
  auto constant = value ? value.getDefiningOp<ConstOp>() : ConstOp();
  auto weight = constant ? dyn_cast<WeightAttr>(constant.getValue()) : WeightAttr();
  if (!weight)
    return false;
  FailureOr<ArrayRef<char>> bytes = cast<ANEDialect>(weight.getDialect()).getWeights().lookup(weight, emitError);
  size_t width = weight.getType().getElementTypeBitWidth() / 8;
  // Each byte is the one a width before it.
  return succeeded(bytes) && bytes->size() >= width && bytes->drop_front(width) == bytes->drop_back(width);
}

void Importer::separateParameters(const onnx::NodeProto &node, const std::string &name, MutableArrayRef<Value> inputs) {
  auto initializerName = [&](int i) -> std::string {
    auto constant = inputs[i] ? inputs[i].getDefiningOp<ConstOp>() : ConstOp();
    bool isWeight =
        constant && isa<WeightAttr>(constant.getValue()) && isa<FloatType>(constant.getType().getElementType());
    return isWeight && trainableNames.count(node.input(i)) ? node.input(i) : "";
  };
  bool isBatchNorm = node.op_type() == "BatchNormalization" && inputs.size() == 5;
  for (int i = 0; i < int(inputs.size()); ++i) {
    std::string own = initializerName(i);
    if (own.empty())
      continue;
    bool isStatistic = isBatchNorm && i > 2;
    if (!isStatistic && declared->isParameter(own) != false && declared->isLiteral(node, i)) {
      literalNames.insert(name + ".literal" + std::to_string(i));
      inputs[i] = namedApart(inputs[i], name + ".literal" + std::to_string(i));
      continue;
    }
    std::string there = declared->moduleName(node, i);
    if (isBatchNorm && i > 2 && (there.empty() || there == own)) // a statistic is no parameter of another layer
      there = declared->isParameter(own).value_or(false) ? name + (i == 3 ? ".running_mean" : ".running_var") : own;
    // The module's name tells tied parameters from others of equal values, which are one initializer. One that the
    // exporter wrote anew has its own name, but for a scale or bias whose values are where they were.
    bool isListed = declared->isParameter(own).value_or(false);
    bool isProduct = node.op_type() == "MatMul" && !isListed; // its weight is turned
    bool isRenamed = isListed || declared->isShared(own) || node.op_type() == "Mul" || node.op_type() == "Add";
    bool isApart = isStatistic || (!there.empty() && there != own && isRenamed);
    if (isApart && isProduct)
      there += ".transposed";
    if (isApart)
      inputs[i] = namedApart(inputs[i], there);
  }
  // The older exporter names each of several parameters of equal values: Identity(norm1.weight) is norm2.weight.
  if (node.op_type() == "Identity" && inputs.size() == 1 && !initializerName(0).empty() && node.output_size() == 1 &&
      isSplat(inputs[0], [&] { return fail(); }))
    inputs[0] = namedApart(inputs[0], node.output(0));
}

void Importer::markBatchNorm(const onnx::NodeProto &node, ArrayRef<Value> results) {
  Value result = results.front();
  while (result && isa_and_nonnull<ReshapeOp>(result.getDefiningOp()))
    result = result.getDefiningOp()->getOperand(0);
  auto norm = result ? result.getDefiningOp<BatchNormOp>() : BatchNormOp();
  if (!norm || node.input_size() < 5)
    return;
  double momentum = 0.9f;
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() == "momentum")
      momentum = attribute.f();
    if (attribute.name() == "training_mode" && attribute.i() != 0)
      return;
  }
  std::optional<double> share = declared->statisticsOf(node.input(3));
  if (!share && batchStatistics.value_or(false))
    share = 1 - double(float(momentum));
  if (share && batchStatistics.value_or(true))
    attrs::batchStatistics.set(norm, builder.getF64FloatAttr(*share));
}

DictionaryAttr Importer::weightsByName() {
  std::map<std::string, Attribute> weights;
  for (const auto &[name, meanings] : weightNames)
    for (const auto &[prefix, weight] : meanings) {
      std::string whole = meanings.size() == 1 ? name : prefix + name, key = whole;
      for (int next = 2; !weights.try_emplace(key, weight).second; ++next)
        key = whole + "#" + std::to_string(next);
    }
  SmallVector<NamedAttribute> list;
  for (const auto &[name, weight] : weights)
    list.push_back(builder.getNamedAttr(name, weight));
  return builder.getDictionaryAttr(list);
}

template <typename Tensor>
Value Importer::initializer(const Scope &scope, StringRef name, const Tensor &tensor) {
  auto [entry, isNew] = constants.try_emplace(&tensor);
  if (!isNew)
    return entry->second;
  auto constant = model.constant(tensor, ("initializer '" + name + "'").str(), builder.getContext());
  if (constant) {
    TypedAttr value = nameWeight(scope, name, *constant, model.isTrainable(&tensor));
    entry->second = builder.create<ConstOp>(nodeLoc(name, -1), value);
  } else {
    problems.push_back(llvm::toString(constant.takeError()));
  }
  return entry->second;
}

std::optional<Value> Importer::lookup(StringRef name) {
  for (Scope &scope : llvm::reverse(scopes)) {
    if (auto value = scope.values.find(name); value != scope.values.end())
      return value->second;
    if (auto found = scope.initializers.find(name); found != scope.initializers.end())
      return initializer(scope, name, *found->second);
    if (auto found = scope.sparseInitializers.find(name); found != scope.sparseInitializers.end())
      return initializer(scope, name, *found->second);
    if (scope.isIsolated)
      break;
  }
  return std::nullopt;
}

void Importer::define(StringRef name, Value value) {
  if (!scopes.back().values.try_emplace(name, value).second)
    problems.push_back(("the value '" + name + "' is defined twice").str());
}

//===-- nodes ---------------------------------------------------------------===//

const Liveness &Importer::livenessOf(const onnx::GraphProto &graph) {
  return livenesses.try_emplace(&graph, graph).first->second;
}

void Importer::importNodes(const onnx::GraphProto &graph) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    scopes.back().initializers.try_emplace(tensor.name(), &tensor);
  for (const onnx::SparseTensorProto &tensor : graph.sparse_initializer())
    scopes.back().sparseInitializers.try_emplace(tensor.values().name(), &tensor);
  const Liveness &liveness = livenessOf(graph);
  for (int i = 0; i < graph.node_size(); ++i) {
    if (scopes.size() == 1)
      outermostIndex = i;
    if (liveness.live[i])
      importNode(graph.node(i), i, liveness.used);
  }
}

void Importer::importNode(const onnx::NodeProto &node, int64_t index, const llvm::StringSet<> &used) {
  const Opsets &opsets = *scopes.back().opsets;
  std::string name = scopes.back().prefix + displayName(node, index);
  auto complain = [&](const Twine &message) {
    problems.push_back(("node '" + name + "' (" + node.op_type() + "): " + message).str());
  };
  auto defineAll = [&](ArrayRef<Value> values) {
    for (int i = 0; i < node.output_size(); ++i)
      if (!node.output(i).empty())
        define(node.output(i), size_t(i) < values.size() ? values[i] : Value());
  };
  const Function *function = functions.lookup(node);
  int64_t opset = opsetOf(opsets, node.domain());
  const Registry::Entry *entry = function ? nullptr : Registry::get().lookup(node.domain(), node.op_type(), opset);
  if (!entry && !function) {
    unsupported.add(node, opset, name);
    unsupported.addInside(node, opsets, name);
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
      complain("input '" + input + "' is no input, initializer or result of an earlier node");
    poisoned |= !value || !*value;
    inputs.push_back(value.value_or(Value()));
  }
  if (poisoned) {
    // What stands inside is not imported, but what it lacks should be known at once.
    unsupported.addInside(node, opsets, name);
    return defineAll({});
  }
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();

  if (declared)
    separateParameters(node, name, inputs);
  if (function) {
    std::string problem;
    std::optional<SmallVector<Value>> results = importCall(node, *function, inputs, name, problem);
    if (!problem.empty())
      complain(problem);
    return defineAll(results.value_or(SmallVector<Value>()));
  }
  SmallVector<bool> wanted;
  for (const std::string &output : node.output())
    wanted.push_back(!output.empty() && used.contains(output));
  NodeBinder binder(node, *entry, nodeLoc(name, outermostIndex), inputs, wanted, model, *this, builder);
  {
    // Diagnostics of inference, verification and weight files become the node's error.
    ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
      binder.error(diagnostic.str());
      return success();
    });
    binder.run();
  }
  if (binder) {
    if (std::string problem = bounded.follow(node, inputs, binder.getResults()); !problem.empty())
      complain(problem);
    if (node.op_type() == "Constant")
      for (auto [name, result] : llvm::zip(node.output(), binder.getResults()))
        if (auto constant = result ? result.getDefiningOp<ConstOp>() : ConstOp())
          constant.setValueAttr(nameWeight(scopes.back(), name, constant.getValue(), /*isTrainable=*/false));
    hasBatchNorm |= node.op_type() == "BatchNormalization";
    if (declared && node.op_type() == "BatchNormalization")
      markBatchNorm(node, binder.getResults());
    SmallVector<Value> results(binder.getResults());
    if (declared && Declared::isDetach(node))
      for (Value &result : results)
        if (result && isa<TensorType>(result.getType())) {
          auto stop = builder.create<IdentityOp>(nodeLoc(name, outermostIndex), result);
          attrs::stopsGradient.set(stop, builder.getUnitAttr());
          result = stop;
        }
    return defineAll(results);
  }
  if (!binder.getProblem().empty())
    complain(binder.getProblem());
  defineAll({});
}

//===-- inner graphs ----------------------------------------------------------===//

bool Importer::admit(uint64_t weight, StringRef prefix, std::string &problem) {
  // Each level takes some of the thread's stack.
  constexpr size_t maxDepth = 64;
  constexpr uint64_t maxNestedNodes = 100'000;
  nestedNodes += weight;
  if (scopes.size() > maxDepth)
    problem = "graphs and functions are nested more than " + std::to_string(maxDepth) + " deep";
  else if (nestedNodes > maxNestedNodes)
    problem = "importing '" + prefix.rtrim('/').str() + "' exceeds the limit of " + std::to_string(maxNestedNodes) +
              " nodes in unrolled loops, branches and functions: bound the loop by a smaller constant";
  return problem.empty();
}

std::optional<SmallVector<Value>> Importer::importInScope(const onnx::GraphProto &graph, ArrayRef<Value> inputs,
                                                          Scope scope, std::string &problem) {
  scopes.push_back(std::move(scope));
  for (auto [formal, value] : llvm::zip(graph.input(), inputs))
    if (!formal.name().empty())
      define(formal.name(), value);
  importNodes(graph);
  SmallVector<Value> outputs;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    std::optional<Value> value = lookup(output.name());
    if (!value)
      problem =
          "output '" + output.name() + "' of '" + StringRef(scopes.back().prefix).rtrim('/').str() + "' is not defined";
    outputs.push_back(value.value_or(Value()));
  }
  scopes.pop_back();
  if (llvm::is_contained(outputs, Value()))
    return std::nullopt;
  return outputs;
}

std::optional<SmallVector<Value>> Importer::importGraph(const onnx::GraphProto &graph, ArrayRef<Value> inputs,
                                                        const std::string &prefix, std::string &problem) {
  if (size_t(graph.input_size()) != inputs.size()) {
    problem = "the graph '" + graph.name() + "' takes " + std::to_string(graph.input_size()) +
              " inputs, but is given " + std::to_string(inputs.size());
    return std::nullopt;
  }
  auto [weight, isNew] = weights.try_emplace(&graph, 0);
  if (isNew)
    weight->second = weightOf(graph);
  if (!admit(weight->second, prefix, problem))
    return std::nullopt;
  Scope scope;
  scope.opsets = scopes.back().opsets;
  scope.prefix = prefix;
  return importInScope(graph, inputs, std::move(scope), problem);
}

std::optional<SmallVector<Value>> Importer::importCall(const onnx::NodeProto &node, const Function &function,
                                                       ArrayRef<Value> inputs, const std::string &name,
                                                       std::string &problem) {
  if (llvm::is_contained(calls, &function)) {
    problem = "function " + function.name + " calls itself";
    return std::nullopt;
  }
  int64_t opset = opsetOf(function.opsets, "");
  if (opset && (opset < minOpset || opset > maxOpset)) {
    problem = "function " + function.name + " uses opset " + std::to_string(opset) +
              "; supported: " + std::to_string(minOpset) + " to " + std::to_string(maxOpset);
    return std::nullopt;
  }
  if (!admit(function.weight, name, problem))
    return std::nullopt;
  auto body = function.instantiate(node);
  if (!body) {
    problem = llvm::toString(body.takeError());
    return std::nullopt;
  }
  bodies.push_back(std::make_unique<onnx::GraphProto>(std::move(*body)));
  SmallVector<Value> arguments(inputs);
  arguments.resize(bodies.back()->input_size());
  // What the call leaves out is read by nothing.
  Scope scope;
  scope.opsets = &function.opsets;
  scope.prefix = name + "/";
  scope.isIsolated = true;
  calls.push_back(&function);
  auto results = importInScope(*bodies.back(), arguments, std::move(scope), problem);
  calls.pop_back();
  return results;
}
