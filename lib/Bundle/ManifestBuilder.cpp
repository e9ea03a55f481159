//===- ManifestBuilder.cpp - a module's manifest --------------------------===//

#include "ManifestBuilder.h"
#include "ane/Constraint/ConstantSources.h"
#include "ane/Constraint/RunTimeCheck.h"
#include "ane/IR/Adapters.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/LanguageModel.h"
#include "ane/IR/StateAccess.h"
#include "ane/IR/Training.h"
#include "ane/IR/WeightFacts.h"
#include "ane/Target/MIL/MIL.h"
#include "runtime/format/manifest/weights.h"
#include "llvm/ADT/MapVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
namespace manifest = ::ane::rt::manifest;
using ::ane::rt::ElementType;

static manifest::TensorType tensorType(Type type, ArrayRef<int64_t> shape) {
  return {*elementTypeOf(type), std::vector<int64_t>(shape.begin(), shape.end())};
}

/// The surface behind an argument or result. Where the program declares rows wider than the data, the layout says how
/// many elements there are.
static manifest::Surface surfaceOf(RankedTensorType type, StringAttr name, LayoutAttr layout, SurfaceAttr surface) {
  manifest::Surface out;
  out.name = name.str();
  out.dtype = *elementTypeOf(type.getElementType());
  out.shape.assign(type.getShape().begin(), type.getShape().end());
  out.rowStride = surface.getRowStride();
  out.bytes = surface.getBytes();
  Relayout moved{llvm::to_vector(layout.getExpand()), llvm::to_vector(layout.getPerm())};
  if (!moved.isReshape() || moved.numElements() != type.getNumElements()) {
    out.expand.assign(layout.getExpand().begin(), layout.getExpand().end());
    out.perm.assign(layout.getPerm().begin(), layout.getPerm().end());
  }
  return out;
}

/// What attrs::holds says of an input, if it is there.
static std::vector<manifest::Condition> conditionsOf(ArrayAttr holds) {
  std::vector<manifest::Condition> conditions;
  for (Attribute each : holds ? holds.getValue() : ArrayRef<Attribute>()) {
    auto condition = cast<DictionaryAttr>(each);
    auto bound = [&](StringRef name) -> std::optional<double> {
      auto value = condition.getAs<FloatAttr>(name);
      return value ? std::optional(value.getValueAsDouble()) : std::nullopt;
    };
    conditions.push_back({bound("low"), bound("high"), condition.contains("exact")});
  }
  return conditions;
}

/// What attrs::maskRows says of an input, if it is there.
static manifest::MaskRows maskOf(DictionaryAttr rows) {
  if (!rows)
    return {};
  return {rows.getAs<IntegerAttr>("extent").getInt(), rows.getAs<IntegerAttr>("inner").getInt(),
          rows.getAs<FloatAttr>("least").getValueAsDouble()};
}

ManifestBuilder::ManifestBuilder(ModuleOp module) : module(module) {
  module.walk([&](EvalOp eval) { twins[eval.getProcedure()] = eval.getTwin(); });
  noteEncodings();
}

/// Ops that expand constants say what their bytes are.
void ManifestBuilder::noteEncodings() {
  auto note = [&](Value data, StringRef name, auto &&typeOf) {
    for (ConstOp weight : weightsOf(data))
      encodings[weight.getValue()] = {name.str(), typeOf(weight.getType())};
  };
  module.walk([&](Operation *op) {
    if (auto blocks = dyn_cast<ConstexprBlocksOp>(op))
      note(blocks.getData(), stringifyBlockType(blocks.getFormat()), [&](RankedTensorType bytes) {
        SmallVector<int64_t> shape(bytes.getShape()); // also where rows were taken out
        shape.back() = blocks.getType().getShape().back();
        return RankedTensorType::get(shape, Float32Type::get(bytes.getContext()));
      });
    else if (auto palette = dyn_cast<ConstexprLutToDenseOp>(op))
      note(palette.getIndices(), "palette", [&](RankedTensorType) { return palette.getType(); });
  });
}

LogicalResult ManifestBuilder::addProgram(ProgramOp program, const std::vector<std::string> &weights) {
  manifest::Program record = {program.getName().str(), ("programs/" + program.getName() + ".mil").str(), weights};
  auto symbolOf = [&](StringRef procedure) {
    return SymbolRefAttr::get(program.getSymNameAttr(), FlatSymbolRefAttr::get(program.getContext(), procedure));
  };
  for (auto function : program.getBody().getOps<func::FuncOp>()) {
    manifest::Procedure procedure = {function.getName().str(), twins.lookup(symbolOf(function.getName())).str()};
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      procedure.inputs.push_back(
          surfaceOf(cast<RankedTensorType>(function.getArgumentTypes()[i]), attrs::portName.ofArgument(function, i),
                    attrs::layout.ofArgument(function, i), attrs::surface.ofArgument(function, i)));
      procedure.inputs.back().holds = conditionsOf(attrs::holds.ofArgument(function, i));
      procedure.inputs.back().mask = maskOf(attrs::maskRows.ofArgument(function, i));
    }
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      procedure.outputs.push_back(surfaceOf(cast<RankedTensorType>(function.getResultTypes()[i]),
                                            attrs::portName.ofResult(function, i), attrs::layout.ofResult(function, i),
                                            attrs::surface.ofResult(function, i)));
    record.procedures.push_back(std::move(procedure));
  }
  for (const manifest::Procedure &procedure : record.procedures)
    procedureNames[symbolOf(procedure.name)] = manifest::nameOf(record, procedure);
  manifest.programs.push_back(std::move(record));
  return success();
}

void ManifestBuilder::addStored(ArrayRef<Attribute> sources, const manifest::StoredWeight &part) {
  for (Attribute source : sources)
    stored[source].push_back(part);
}

/// Of elements that are packed into less than a byte, bytes that hold one each are what a tensor can show.
ManifestBuilder::Encoding ManifestBuilder::encodingOf(Attribute weight) const {
  if (auto known = encodings.find(weight); known != encodings.end())
    return known->second;
  auto listed = dyn_cast<TypeAttr>(weight);
  auto type = cast<RankedTensorType>(listed ? listed.getValue() : cast<WeightAttr>(weight).getType());
  std::string name = listed ? manifest::kListedEncoding : "";
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element || element.getWidth() >= 8 || element.isInteger(1))
    return {name, type};
  Type whole = IntegerType::get(type.getContext(), 8, element.getSignedness());
  return {listed ? name : getDtypeName(element), type.clone(whole)};
}

/// The model's names of #ane.weight stand in a dictionary of the module. Two names may mean the same bytes.
LogicalResult ManifestBuilder::addWeights() {
  auto names = attrs::weights.get(module);
  auto trainable = attrs::trainable.get(module);
  ArrayRef<NamedAttribute> weights = names ? names.getValue() : ArrayRef<NamedAttribute>();
  SmallVector<std::string> fixed; // that shouldn't be
  llvm::DenseMap<Attribute, SmallVector<StringRef, 1>> alike;
  for (NamedAttribute named : weights)
    alike[named.getValue()].push_back(named.getName().getValue());
  for (NamedAttribute named : weights) {
    Attribute weight = named.getValue();
    if (!isa<WeightAttr, TypeAttr>(weight))
      continue;
    Encoding encoding = encodingOf(weight);
    if (!elementTypeOf(encoding.type.getElementType()))
      continue; // no type of a tensor that users pass
    manifest::Weight record{named.getName().str(),
                            tensorType(encoding.type.getElementType(), encoding.type.getShape())};
    record.stored = stored.lookup(weight);
    if (!encoding.name.empty()) {
      record.encoding = encoding.name;
      for (manifest::StoredWeight &part : record.stored)
        if (part.fixed.empty())
          part.fixed = "the model has it as " + encoding.name;
    }
    for (StringRef other : alike[weight])
      if (other != named.getName())
        for (manifest::StoredWeight &part : record.stored)
          part.fixed = ("the same bytes are weight " + other).str();
    auto range = dyn_cast<WeightAttr>(weight);
    if (std::optional<WeightFacts> facts = range ? factsOf(range) : std::nullopt;
        facts && !facts->hasNaN && std::isfinite(facts->largestMagnitude()))
      record.range = {facts->range.low, facts->range.high};
    record.trainable = trainable && llvm::is_contained(trainable, named.getName());
    if (std::string why = manifest::whyFixed(record); record.trainable && !why.empty())
      fixed.push_back("weight '" + record.name + "' can't have another value later: " + why);
    manifest.weights.push_back(std::move(record));
  }
  bool isTraining = module->hasAttr(trainingName);
  for (StringRef trouble : fixed)
    module.emitError() << (isTraining ? "--parameters=baked: " : "--trainable: ") << trouble
                       << (isTraining ? "; leave it an input (--unbaked)" : "; leave it out");
  return failure(!fixed.empty());
}

void ManifestBuilder::addHost(const HostBuild &build, ArrayRef<HostWeight> weights, StringRef path,
                              ArrayRef<std::string> hashes, const std::map<std::string, std::string> &paths) {
  for (auto [weight, hash] : llvm::zip_equal(weights, hashes)) {
    manifest::StoredWeight part;
    part.file = path.str();
    part.offset = int64_t(weight.offset);
    part.bytes = int64_t(weight.bytes);
    part.hash = hash;
    part.hostFunctions = weight.readers;
    part.fixed = weight.fixed;
    part.dtype = elementTypeOf(weight.elementType).value_or(ElementType::UInt8);
    part.base = weight.base;
    part.shape.assign(weight.shape.begin(), weight.shape.end());
    part.strides.assign(weight.strides.begin(), weight.strides.end());
    part.columns = weight.columns;
    addStored(weight.sources, part);
  }
  for (const HostFunction &function : build.functions) {
    manifest::HostFunction record{function.name, function.symbol, {}, {}, int64_t(function.arenaBytes)};
    for (const HostTensor &tensor : function.inputs)
      record.inputs.push_back(tensorType(tensor.elementType, tensor.shape));
    for (const HostTensor &tensor : function.outputs)
      record.outputs.push_back(tensorType(tensor.elementType, tensor.shape));
    manifest.hostFunctions.push_back(std::move(record));
  }
  for (const HostLibrary &library : build.libraries)
    manifest.hostLibraries.push_back({library.target->triple.str(), paths.at(library.path), library.target->level.str(),
                                      library.isRounded ? "int8" : ""});
  manifest.hostWeights.push_back(path.str());
}

void ManifestBuilder::addSignatures(ArrayRef<func::FuncOp> functions) {
  auto typesOf = [](TypeRange types) {
    std::vector<manifest::TensorType> list;
    for (Type type : types)
      list.push_back(
          tensorType(cast<RankedTensorType>(type).getElementType(), cast<RankedTensorType>(type).getShape()));
    return list;
  };
  for (func::FuncOp function : functions)
    manifest.hostFunctions.push_back({function.getName().str(), function.getName().str(),
                                      typesOf(function.getArgumentTypes()), typesOf(function.getResultTypes()), 0});
}

int64_t ManifestBuilder::addTensor(Value value, const Twine &name) {
  auto type = cast<RankedTensorType>(value.getType());
  manifest.tensors.push_back({name.str(), tensorType(type.getElementType(), type.getShape())});
  return int64_t(manifest.tensors.size()) - 1;
}

/// The name in the model, where it can't be the symbol.
static StringRef publicNameOf(StateOp state) {
  auto name = attrs::ioName.get(state);
  return name ? name.getValue() : state.getSymName();
}

void ManifestBuilder::addState(StateOp state) {
  auto type = cast<RankedTensorType>(state.getType());
  manifest::State record = {publicNameOf(state).str(), tensorType(type.getElementType(), type.getShape())};
  if (auto initial = initialValues.find(state.getSymNameAttr()); initial != initialValues.end())
    std::tie(record.file, record.offset) = initial->second;
  stateIndex[state.getSymNameAttr()] = int64_t(manifest.states.size());
  manifest.states.push_back(std::move(record));
}

/// The states that a plan accesses. What reads one is entered into `tensors`; the values to write are known at its end.
std::vector<manifest::StateUse> ManifestBuilder::statesOf(func::FuncOp plan, const Twine &scope,
                                                          llvm::DenseMap<Value, int64_t> &tensors) {
  llvm::MapVector<StringAttr, manifest::StateUse> uses;
  for (Operation &op : plan.front()) {
    StateAccess access = stateAccessOf(&op);
    if (!access)
      continue;
    auto [use, isFirst] = uses.insert(std::make_pair(access.state, manifest::StateUse()));
    auto write = dyn_cast<WriteStateOp>(op);
    Value value = write ? Value(write.getData()) : op.getResult(0);
    if (isFirst) {
      // Of a state that is not read, nothing reads the tensor.
      int64_t state = stateIndex.at(access.state), tensor = addTensor(value, scope + manifest.states[state].name);
      use->second = {state, tensor, tensor};
    }
    if (access.onlyReads())
      tensors[value] = use->second.read;
  }
  std::vector<manifest::StateUse> list;
  for (auto &[_, use] : uses)
    list.push_back(use);
  return list;
}

void ManifestBuilder::addPlan(func::FuncOp plan) {
  manifest::Function record;
  record.name = plan.getName().str();
  llvm::DenseMap<Value, int64_t> tensors;
  // Tensors of all functions are in one list, whose names differ.
  std::string scope = manifest.functions.empty() ? "" : record.name + ".";
  auto publicName = [&](Attribute attr, StringRef kind, unsigned index) {
    if (auto name = dyn_cast_or_null<StringAttr>(attr))
      return name.str();
    return (kind + Twine(index)).str();
  };
  for (BlockArgument argument : plan.getArguments()) {
    std::string name =
        publicName(attrs::ioName.ofArgument(plan, argument.getArgNumber()), "input_", argument.getArgNumber());
    tensors[argument] = addTensor(argument, scope + name);
    manifest::Port port = {name, tensors[argument]};
    if (auto range = attrs::range.ofArgument(plan, argument.getArgNumber())) {
      port.min = range.getAs<IntegerAttr>("min").getInt();
      port.max = range.getAs<IntegerAttr>("max").getInt();
      port.reader = range.getAs<StringAttr>("reader").str();
    }
    record.inputs.push_back(std::move(port));
  }
  record.states = statesOf(plan, scope, tensors);
  for (Operation &op : plan.front().without_terminator()) {
    auto use = record.states.begin(); // what the function does to the state that `op` accesses
    StateAccess access = stateAccessOf(&op);
    if (access)
      use = llvm::find_if(record.states, [&](auto &use) { return use.state == stateIndex.at(access.state); });
    if (auto write = dyn_cast<WriteStateOp>(op))
      use->write = tensors.at(write.getData());
    if (access && !access.updates())
      continue;
    manifest::Step step;
    if (auto update = dyn_cast<UpdateStateOp>(op)) {
      step.kind = manifest::Step::Kind::Update;
      step.target = manifest.states[use->state].name;
      step.axis = update.getAxis();
      step.skipOutside = update.getSkipOutside();
    } else if (auto eval = dyn_cast<EvalOp>(op)) {
      step.kind = manifest::Step::Kind::Program;
      step.target = eval.getProcedure().getRootReference().str();
      step.procedure = eval.getProcedure().getLeafReference().str();
    } else {
      step.target = cast<func::CallOp>(op).getCallee().str();
    }
    for (Value operand : op.getOperands())
      step.inputs.push_back(tensors.at(operand));
    auto eval = dyn_cast<EvalOp>(op);
    std::string producer = eval ? procedureNames.at(eval.getProcedure()) : step.target;
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      bool update = access.updates();
      tensors[result] = addTensor(result, update ? scope + step.target + ".updated" : producer + "." + Twine(i));
      step.outputs.push_back(tensors[result]);
      if (update)
        use->write = tensors[result];
    }
    record.steps.push_back(std::move(step));
  }
  for (auto [i, value] : llvm::enumerate(plan.front().getTerminator()->getOperands()))
    if (auto check = RunTimeCheck::of(plan, i))
      record.checks.push_back({check->subject, tensors.at(value), 0, check->max, check->total});
    else
      record.outputs.push_back({publicName(attrs::ioName.ofResult(plan, i), "output_", i), tensors.at(value)});
  manifest.functions.push_back(std::move(record));
  addBucket(plan);
}

void ManifestBuilder::addBucket(func::FuncOp plan) {
  auto size = attrs::bucket.get(plan);
  if (!size)
    return;
  StringRef name = size.getAs<StringAttr>("name").getValue();
  auto bucket = llvm::find_if(manifest.buckets, [&](const manifest::Bucket &other) { return other.name == name; });
  if (bucket == manifest.buckets.end()) {
    auto padding = !size.getAs<BoolAttr>("pads").getValue() ? manifest::Padding::None
                   : size.contains("zeros")                 ? manifest::Padding::Zeros
                                                            : manifest::Padding::Checked;
    manifest::Bucket made = {name.str(), size.getAs<StringAttr>("dimension").str(), padding};
    auto axesOf = [](Attribute axes) { return cast<DenseI64ArrayAttr>(axes).asArrayRef().vec(); };
    made.masks = axesOf(size.get("masks"));
    for (unsigned i = 0; i < plan.getNumArguments(); ++i)
      made.inputs.push_back(axesOf(attrs::bucketAxes.ofArgument(plan, i)));
    for (unsigned i = 0; i < plan.getNumResults(); ++i)
      if (!RunTimeCheck::of(plan, i))
        made.outputs.push_back(axesOf(attrs::bucketAxes.ofResult(plan, i)));
    manifest.buckets.push_back(std::move(made));
    bucket = std::prev(manifest.buckets.end());
  }
  bucket->sizes.push_back(size.getAs<IntegerAttr>("size").getInt());
  bucket->functions.push_back(int64_t(manifest.functions.size()) - 1);
}

void ManifestBuilder::addLanguageModel() {
  auto model = module->getAttrOfType<DictionaryAttr>(languageModelName);
  // Functions that train are no conversation's.
  if (!model || module->hasAttr(trainingName))
    return;
  auto text = [&](StringRef name) { return model.getAs<StringAttr>(name).str(); };
  auto number = [&](StringRef name) -> std::optional<int64_t> {
    auto value = model.getAs<IntegerAttr>(name);
    return value ? std::optional(value.getInt()) : std::nullopt;
  };
  manifest::LanguageModel record{text("kind"), text("architecture"), *number("context"), *number("vocabulary"),
                                 text("decode")};
  for (auto function : model.getAs<ArrayAttr>("prefill").getAsRange<StringAttr>())
    record.prefill.push_back(function.str());
  record.stopTokens = model.getAs<DenseI64ArrayAttr>("stop_tokens").asArrayRef().vec();
  record.bos = number("bos");
  record.window = number("window");
  if (model.contains("together"))
    record.together = text("together");
  manifest.languageModel = std::move(record);
}

void ManifestBuilder::addTraining() {
  auto training = module->getAttrOfType<DictionaryAttr>(trainingName);
  if (!training)
    return;
  auto text = [&](StringRef name) { return training.getAs<StringAttr>(name).str(); };
  manifest::Training record;
  record.step = text("step");
  record.evaluate = text("evaluate");
  record.loss = text("loss");
  record.target = text("target");
  record.lossScale = text("loss_scale");
  record.ignore = training.getAs<IntegerAttr>("ignore").getInt();
  if (auto classes = training.getAs<IntegerAttr>("classes"))
    record.classes = classes.getInt();
  if (auto graph = training.getAs<ArrayAttr>("graph"))
    for (auto line : graph.getAsRange<StringAttr>())
      record.graph.push_back(line.str());
  auto baked = attrs::trainable.get(module);
  for (auto parameter : module.getOps<ParameterOp>())
    record.parameters.push_back({parameter.getName().str(), cast<RankedTensorType>(parameter.getType()).getRank() > 1,
                                 baked && llvm::is_contained(baked, parameter.getNameAttr()),
                                 attrs::statistic.isOn(parameter)});
  llvm::sort(record.parameters, [](auto &a, auto &b) { return a.name < b.name; });
  record.weights = initialParameters;
  record.sweep = training.getAs<IntegerAttr>("sweep").getInt();
  for (NamedAttribute optimizer : training.getAs<DictionaryAttr>("optimizers"))
    record.optimizers.push_back({optimizer.getName().str(), cast<StringAttr>(optimizer.getValue()).str()});
  record.squares = text("squares");
  record.add = text("add");
  manifest.training = std::move(record);
}

void ManifestBuilder::addAdapters() {
  auto adapters = module->getAttrOfType<DictionaryAttr>(adaptersName);
  if (!adapters)
    return;
  manifest::Adapters record;
  record.rank = adapters.getAs<IntegerAttr>("rank").getInt();
  record.alpha = adapters.getAs<FloatAttr>("alpha").getValueAsDouble();
  for (auto target : adapters.getAs<ArrayAttr>("targets").getAsRange<StringAttr>())
    record.targets.push_back(target.str());
  for (auto pair : adapters.getAs<ArrayAttr>("pairs").getAsRange<DictionaryAttr>()) {
    auto text = [&](StringRef name) { return pair.getAs<StringAttr>(name).str(); };
    // One that the loss does not depend on is no parameter any more.
    if (manifest.training &&
        llvm::none_of(manifest.training->parameters, [name = text("a")](auto &p) { return p.name == name; }))
      continue;
    record.pairs.push_back({text("layer"), text("weight"), text("a"), text("b"),
                            pair.getAs<BoolAttr>("transposed").getValue(), pair.getAs<IntegerAttr>("heads").getInt()});
  }
  manifest.adapters = std::move(record);
}

void ManifestBuilder::checkPadding() {
  for (manifest::Bucket &bucket : manifest.buckets) {
    if (bucket.padding != manifest::Padding::Checked || !bucket.masks.empty())
      continue;
    std::vector<size_t> along = manifest::statesAlong(manifest, bucket);
    for (int64_t function : bucket.functions)
      for (const manifest::StateUse &use : manifest.functions[function].states)
        if (use.read != use.write && !llvm::is_contained(along, size_t(use.state)))
          bucket.padding = manifest::Padding::None;
    if (bucket.padding == manifest::Padding::None)
      module.emitWarning() << "--bucket " << bucket.dimension << ": inputs are not filled up to a size, and only the "
                           << "sizes themselves run: function '" << bucket.name
                           << "' changes a state otherwise than by an entry for each place, and has no attention_mask";
  }
}

FailureOr<manifest::Manifest> ManifestBuilder::finish() {
  manifest.producer = "anemone " ANE_VERSION;
  if (auto target = attrs::target.get(module))
    manifest.target = {target.getChip().str(), stringifyRoute(target.getRoute()).str(),
                       "macos" + std::to_string(target.getOs()), stringifyOpset(target.getOpset()).str(),
                       stringifyStrictness(target.getStrictness()).str()};
  for (auto state : module.getOps<StateOp>())
    addState(state);
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isPrivate() && !function.isExternal())
      addPlan(function);
  addLanguageModel();
  addTraining();
  addAdapters();
  checkPadding();
  if (failed(addWeights()))
    return failure();
  llvm::sort(manifest.files, [](auto &a, auto &b) { return a.path < b.path; });
  return std::move(manifest);
}
