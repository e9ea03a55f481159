//===- NodeBinder.cpp - typed access to an ONNX node ----------------------===//

#include "NodeBinder.h"
#include "../ConstantEvaluator.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Inference.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

NodeBinder::NodeBinder(const onnx::NodeProto &node, const Registry::Entry &entry, Location loc, ArrayRef<Value> inputs,
                       ArrayRef<bool> wantedResults, Model &model, GraphImporter &graphs, OpBuilder &builder)
    : node(node), loc(loc), builder(builder), entry(entry), inputs(inputs), wanted(wantedResults), model(model),
      graphs(graphs), results(wantedResults.size()), inputsRead(inputs.size()) {}

void NodeBinder::error(const Twine &message) {
  if (problem.empty())
    problem = message.str();
}

//===-- inputs --------------------------------------------------------------===//

Value NodeBinder::input(unsigned index) {
  Value value = optionalInput(index);
  if (!value)
    error("input " + Twine(index) + " is missing");
  return value;
}

Value NodeBinder::optionalInput(unsigned index) {
  Value value = anyInput(index);
  if (!value || isa<RankedTensorType>(value.getType()))
    return value;
  error("input " + Twine(index) + " is a sequence or an empty optional, a tensor is needed");
  return nullptr;
}

Value NodeBinder::anyInput(unsigned index) {
  if (index >= inputs.size())
    return nullptr;
  inputsRead.set(index);
  return inputs[index];
}

SmallVector<Value> NodeBinder::sequence(unsigned index) {
  Value value = anyInput(index);
  if (value && isa<TupleType>(value.getType()))
    return value.getDefiningOp()->getOperands();
  error("input " + Twine(index) + " must be a sequence");
  return {};
}

SmallVector<Value> NodeBinder::allInputs() {
  if (inputs.empty())
    error("has no inputs");
  SmallVector<Value> values;
  for (unsigned i = 0; i < inputs.size(); ++i)
    values.push_back(input(i));
  return values;
}

bool NodeBinder::isConstantInput(unsigned index) const {
  return hasInput(index) && matchPattern(inputs[index], m_Constant());
}

DenseElementsAttr NodeBinder::constantElements(unsigned index, StringRef name) {
  Value value = input(index);
  if (!value)
    return nullptr;
  if (!isConstantInput(index)) {
    error(
        "input '" + name + "' (" + (index < unsigned(node.input_size()) ? node.input(index) : std::string()) +
        ") must be constant once all dimensions are bound, but depends on the model's inputs; remedy: compile in, with "
        "--value INPUT=VALUE, what never changes");
    return nullptr;
  }
  DenseElementsAttr elements = readConstant(value);
  if (!elements)
    error("input '" + name + "' has more elements than such an input can have, or can't be read");
  return elements;
}

SmallVector<int64_t> NodeBinder::ints(unsigned index, StringRef name) {
  SmallVector<int64_t> values;
  DenseElementsAttr attribute = constantElements(index, name);
  if (!attribute)
    return values;
  auto type = llvm::dyn_cast<IntegerType>(attribute.getElementType());
  if (!type) {
    error("input '" + name + "' must have integer elements");
    return values;
  }
  for (const APInt &value : attribute.getValues<APInt>()) {
    bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
    if (isUnsigned && value.getActiveBits() > 63)
      error("input '" + name + "' has an element above the int64 range");
    else
      values.push_back(isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue());
  }
  return values;
}

int64_t NodeBinder::intScalar(unsigned index, StringRef name) {
  SmallVector<int64_t> values = ints(index, name);
  if (values.size() == 1)
    return values[0];
  error("input '" + name + "' must have one element, has " + Twine(values.size()));
  return 0;
}

SmallVector<double> NodeBinder::floats(unsigned index, StringRef name) {
  SmallVector<double> values;
  DenseElementsAttr attribute = constantElements(index, name);
  if (!attribute)
    return values;
  if (!isa<FloatType>(attribute.getElementType())) {
    error("input '" + name + "' must have float elements");
    return values;
  }
  for (APFloat value : attribute.getValues<APFloat>()) {
    bool inexact;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
    values.push_back(value.convertToDouble());
  }
  return values;
}

double NodeBinder::floatScalar(unsigned index, StringRef name) {
  SmallVector<double> values = floats(index, name);
  if (values.size() == 1)
    return values[0];
  error("input '" + name + "' must have one element, has " + Twine(values.size()));
  return 0;
}

DenseElementsAttr NodeBinder::constantElements(Value value) {
  return value ? readConstant(value, maxFoldedElements) : nullptr;
}

std::optional<bool> NodeBinder::constantBool(Value value) {
  if (!value)
    return std::nullopt;
  auto type = llvm::dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isInteger(1) || type.getNumElements() != 1) {
    error("the condition must be one boolean");
    return std::nullopt;
  }
  DenseElementsAttr attribute = readConstant(value, 1);
  return attribute ? std::optional<bool>(attribute.getSplatValue<bool>()) : std::nullopt;
}

double NodeBinder::constantScalar(Value value) {
  DenseElementsAttr attribute;
  if (matchPattern(value, m_Constant(&attribute)) && attribute.getNumElements() == 1 &&
      isa<FloatType>(attribute.getElementType())) {
    APFloat element = *attribute.value_begin<APFloat>();
    bool inexact;
    element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
    return element.convertToDouble();
  }
  error("a constant float with one element is needed");
  return 0;
}

//===-- attributes ----------------------------------------------------------===//

bool NodeBinder::hasAttr(StringRef name) {
  attributesRead.insert(name);
  return llvm::any_of(node.attribute(), [&](const onnx::AttributeProto &a) { return a.name() == name; });
}

const onnx::AttributeProto *NodeBinder::find(StringRef name, int type, StringRef typeName) {
  attributesRead.insert(name);
  for (const onnx::AttributeProto &attribute : node.attribute()) {
    if (attribute.name() != name)
      continue;
    // Old exporters leave the type out.
    if (attribute.type() == type || (!attribute.has_type() && attribute.ref_attr_name().empty()))
      return &attribute;
    error("attribute '" + name + "' must be " + typeName);
    return nullptr;
  }
  return nullptr;
}

int64_t NodeBinder::intAttr(StringRef name, std::optional<int64_t> fallback) {
  if (const auto *attribute = find(name, onnx::AttributeProto::INT, "an integer"))
    return attribute->i();
  if (!fallback)
    error("attribute '" + name + "' is missing");
  return fallback.value_or(0);
}

bool NodeBinder::boolAttr(StringRef name, bool fallback) { return intAttr(name, fallback) != 0; }

double NodeBinder::floatAttr(StringRef name, std::optional<double> fallback) {
  if (const auto *attribute = find(name, onnx::AttributeProto::FLOAT, "a float"))
    return attribute->f();
  if (!fallback)
    error("attribute '" + name + "' is missing");
  return fallback.value_or(0);
}

std::string NodeBinder::stringAttr(StringRef name, StringRef fallback, ArrayRef<StringRef> allowed) {
  const auto *attribute = find(name, onnx::AttributeProto::STRING, "a string");
  std::string value = attribute ? attribute->s() : fallback.str();
  if (!llvm::is_contained(allowed, StringRef(value)))
    error("attribute '" + name + "' is '" + value + "'; supported: " + llvm::join(allowed, ", "));
  return value;
}

std::optional<SmallVector<int64_t>> NodeBinder::intsAttr(StringRef name) {
  if (const auto *attribute = find(name, onnx::AttributeProto::INTS, "a list of integers"))
    return SmallVector<int64_t>(attribute->ints().begin(), attribute->ints().end());
  return std::nullopt;
}

std::optional<SmallVector<double>> NodeBinder::floatsAttr(StringRef name) {
  if (const auto *attribute = find(name, onnx::AttributeProto::FLOATS, "a list of floats"))
    return SmallVector<double>(attribute->floats().begin(), attribute->floats().end());
  return std::nullopt;
}

std::optional<SmallVector<std::string>> NodeBinder::stringsAttr(StringRef name) {
  if (const auto *attribute = find(name, onnx::AttributeProto::STRINGS, "a list of strings"))
    return SmallVector<std::string>(attribute->strings().begin(), attribute->strings().end());
  return std::nullopt;
}

template <typename Tensor>
TypedAttr NodeBinder::readTensor(StringRef name, const Tensor &tensor) {
  auto constant = model.constant(tensor, ("attribute '" + name + "'").str(), builder.getContext());
  if (constant)
    return *constant;
  error(llvm::toString(constant.takeError()));
  return nullptr;
}

TypedAttr NodeBinder::tensorAttr(StringRef name) {
  const auto *attribute = find(name, onnx::AttributeProto::TENSOR, "a tensor");
  return attribute ? readTensor(name, attribute->t()) : TypedAttr();
}

TypedAttr NodeBinder::sparseTensorAttr(StringRef name) {
  const auto *attribute = find(name, onnx::AttributeProto::SPARSE_TENSOR, "a sparse tensor");
  return attribute ? readTensor(name, attribute->sparse_tensor()) : TypedAttr();
}

const onnx::GraphProto *NodeBinder::graphAttr(StringRef name) {
  const auto *attribute = find(name, onnx::AttributeProto::GRAPH, "a graph");
  if (attribute && attribute->has_g())
    return &attribute->g();
  error("attribute '" + name + "' is missing");
  return nullptr;
}

std::vector<onnx::AttributeProto> NodeBinder::attributes(ArrayRef<StringRef> names) {
  std::vector<onnx::AttributeProto> found;
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (llvm::is_contained(names, attribute.name()) && hasAttr(attribute.name()))
      found.push_back(attribute);
  return found;
}

void NodeBinder::requireAttr(StringRef name, int64_t only, int64_t fallback) {
  int64_t value = intAttr(name, fallback);
  if (value != only)
    error("attribute '" + name + "' is " + Twine(value) + "; supported: " + Twine(only));
}

//===-- types ---------------------------------------------------------------===//

int64_t NodeBinder::axis(int64_t axis, int64_t rank) {
  if (std::optional<int64_t> known = axisFromFront(axis, rank))
    return *known;
  error("axis " + Twine(axis) + " is outside [" + Twine(-rank) + ", " + Twine(rank - 1) + "]");
  return 0;
}

SmallVector<int64_t> NodeBinder::axes(ArrayRef<int64_t> axes, int64_t rank) {
  SmallVector<int64_t> result;
  for (int64_t value : axes) {
    int64_t normal = axis(value, rank);
    if (llvm::is_contained(result, normal))
      error("axis " + Twine(value) + " is given twice");
    result.push_back(normal);
  }
  return result;
}

//===-- emission ------------------------------------------------------------===//

bool NodeBinder::admit(Type type) {
  if (auto tensor = llvm::cast<RankedTensorType>(type); tensor.getNumElements() > maxModelElements) {
    std::string text;
    llvm::raw_string_ostream(text) << "a value of type " << tensor << " has more than " << maxModelElements
                                   << " elements";
    error(text);
  }
  return bool(*this);
}

SmallVector<Value> NodeBinder::emitOp(StringRef name, ArrayRef<Segment> operands, ArrayRef<Argument> arguments,
                                      bool hasSegmentSizes) {
  for (const Segment &segment : operands)
    if (segment.missing)
      error("an operand of " + name + " could not be built");
  if (!*this)
    return {};
  std::optional<RegisteredOperationName> info = RegisteredOperationName::lookup(name, builder.getContext());
  NamedAttrList attributes;
  for (const Argument &argument : arguments) {
    if (!llvm::is_contained(info->getAttributeNames(), argument.name)) {
      error(name + " has no argument '" + argument.name + "'");
      return {};
    }
    attributes.set(argument.name, argument.make ? argument.make(builder) : argument.attribute);
  }
  SmallVector<Value> values;
  SmallVector<int32_t> sizes;
  for (const Segment &segment : operands) {
    llvm::append_range(values, segment.values);
    sizes.push_back(segment.values.size());
  }
  if (hasSegmentSizes)
    attributes.set("operandSegmentSizes", builder.getDenseI32ArrayAttr(sizes));

  OperationState state(loc, name, values, TypeRange(), ArrayRef<NamedAttribute>());
  DictionaryAttr dictionary = attributes.getDictionary(builder.getContext());

  if (info->getOpPropertyByteSize())
    state.propertiesAttr = dictionary;
  auto *inference = info->getInterface<InferTypeOpInterface>();
  if (!inference || mlir::failed(inference->inferReturnTypes(builder.getContext(), loc, values, dictionary,
                                                             OpaqueProperties(nullptr), RegionRange(), state.types))) {
    error("the result type of " + name + " can't be inferred");
    return {};
  }
  if (!llvm::all_of(state.types, [&](Type type) { return admit(type); }))
    return {};
  Operation *op = builder.create(state);
  SmallVector<Value> emitted;
  if (mlir::failed(mlir::verify(op, /*verifyRecursively=*/false))) {
    error(name + " is not well-formed");
    op->erase();
    return {};
  }
  int64_t given = 1;
  for (Value operand : values)
    given = std::max(given, type(operand).getNumElements());
  if (isConstantExpr(op) && !llvm::all_of(state.types, [&](Type type) { return admitRepeated(type, given); })) {
    op->erase();
    return {};
  }
  if (auto others = withoutEmptyTensors(op)) {
    if (op->use_empty() && !llvm::any_of(*others, [&](Value value) { return value && value.getDefiningOp() == op; }))
      op->erase();
    return *others;
  }
  // Where that is too much, the op does the same at run time.
  auto constants = graphs.computed < GraphImporter::maxComputed ? evaluateConstants(op) : std::nullopt;
  if (constants) {
    op->erase();
    for (DenseElementsAttr constant : *constants) {
      graphs.computed += constant.isSplat() ? 1 : constant.getNumElements();
      emitted.push_back(builder.create<ConstOp>(loc, constant));
    }
    return emitted;
  }
  // No values from a fold that succeeds: it changed the op in place, and may go further.
  for (unsigned attempt = 0; attempt < 4 && succeeded(builder.tryFold(op, emitted)); ++attempt)
    if (!emitted.empty()) {
      op->erase();
      return emitted;
    }
  return SmallVector<Value>(op->getResults());
}

SmallVector<Value> NodeBinder::importGraph(const onnx::GraphProto &graph, ArrayRef<Value> arguments, const Twine &label,
                                           Value active) {
  // After another graph failed, too: this one may have errors of its own.
  if (!problem.empty())
    return {};
  std::string prefix = (llvm::cast<NameLoc>(loc).getName().getValue() + "/" + label + "/").str(), why;
  size_t before = graphs.checks.size();
  std::optional<SmallVector<Value>> values = graphs.importGraph(graph, arguments, prefix, why);
  for (auto &[value, check] : llvm::drop_begin(graphs.checks, active ? before : graphs.checks.size())) {
    SmallVector<int64_t> harmless(type(value).getNumElements(), 0);
    harmless.front() = check.total.value_or(0);
    value = emit<SelectOp>({reshape(active, {}), value, intsConstant(harmless)});
  }
  if (!why.empty())
    error(why);
  abandoned |= !values;
  return values.value_or(SmallVector<Value>());
}

SmallVector<Value> NodeBinder::delegateAll(StringRef opType, ArrayRef<Value> operands,
                                           ArrayRef<onnx::AttributeProto> attributes, unsigned numResults) {
  // A version whose ops the callers know.
  constexpr int64_t opset = 21;
  const Registry::Entry *entry = Registry::get().lookup("", opType, opset);
  if (!entry)
    error("op " + opType + " is not supported");
  if (!*this || llvm::is_contained(operands, Value()))
    return SmallVector<Value>(numResults);
  onnx::NodeProto inner;
  inner.set_op_type(opType.str());
  for (const onnx::AttributeProto &attribute : attributes)
    *inner.add_attribute() = attribute;
  for (size_t i = 0; i < operands.size(); ++i)
    inner.add_input();
  for (unsigned i = 0; i < numResults; ++i)
    inner.add_output();
  NodeBinder binder(inner, *entry, loc, operands, SmallVector<bool>(numResults, true), model, graphs, builder);
  binder.run();
  if (!binder)
    error(opType + ": " + binder.getProblem());
  return binder ? SmallVector<Value>(binder.getResults()) : SmallVector<Value>(numResults);
}

Value NodeBinder::makeSequence(ArrayRef<Value> elements) {
  if (int64_t(elements.size()) > maxSequence) {
    error("a sequence of " + Twine(elements.size()) + " elements is too long; supported: " + Twine(maxSequence));
    return nullptr;
  }
  auto type = TupleType::get(builder.getContext(), ValueRange(elements).getTypes());
  return builder.create<UnrealizedConversionCastOp>(loc, type, elements).getResult(0);
}

void NodeBinder::refuseConstant(RankedTensorType type, const Twine &limit) {
  std::string text;
  llvm::raw_string_ostream(text) << "needs a constant of type " << type << "; " << limit
                                 << ": make it an initializer of the model";
  error(text);
}

bool NodeBinder::admitRepeated(Type type, int64_t given) {
  auto tensor = llvm::cast<RankedTensorType>(type);
  if (tensor.getNumElements() <= std::max(given, GraphImporter::maxRepeated))
    return true;
  refuseConstant(tensor, "one that repeats fewer elements has at most " + Twine(GraphImporter::maxRepeated));
  return false;
}

RankedTensorType NodeBinder::constantType(ArrayRef<int64_t> shape, Type element) {
  SmallVector<Type> types;
  if (!*this || failed(pushResult(loc, types, shape, element)))
    return nullptr;
  auto type = llvm::cast<RankedTensorType>(types.front());
  if (type.getNumElements() > GraphImporter::maxComputed - graphs.computed) {
    refuseConstant(type, "all that are computed for a model have at most " + Twine(GraphImporter::maxComputed) +
                             " elements together");
    return nullptr;
  }
  graphs.computed += type.getNumElements();
  return type;
}

Value NodeBinder::constant(TypedAttr value) {
  if (!value || !*this || !admit(value.getType()))
    return nullptr;
  if (isa<SplatElementsAttr>(value) && !admitRepeated(value.getType(), 1))
    return nullptr;
  return builder.create<ConstOp>(loc, value);
}

Value NodeBinder::intsConstant(ArrayRef<int64_t> values) {
  RankedTensorType type = constantType({int64_t(values.size())}, builder.getI64Type());
  if (!type)
    return nullptr;
  return constant(values.empty() ? DenseElementsAttr::get(type, ArrayRef<Attribute>())
                                 : DenseElementsAttr::get(type, values));
}

Value NodeBinder::scalar(Type element, double value) { return splat(RankedTensorType::get({}, element), value); }

Value NodeBinder::splat(RankedTensorType type, double value) {
  Attribute element;
  if (auto integer = llvm::dyn_cast<IntegerType>(type.getElementType())) {
    bool isSigned = !integer.isUnsigned() && integer.getWidth() != 1;
    llvm::APSInt exact(integer.getWidth(), !isSigned);
    bool isExact = false;
    if (APFloat(value).convertToInteger(exact, APFloat::rmTowardZero, &isExact) != APFloat::opOK || !isExact) {
      std::string text;
      llvm::raw_string_ostream(text) << "the value " << value << " does not fit " << integer;
      error(text);
      return nullptr;
    }
    element = IntegerAttr::get(integer, exact);
  } else {
    element = FloatAttr::get(type.getElementType(), value);
  }
  if (type.getNumElements() == 0)
    return constant(DenseElementsAttr::get(type, ArrayRef<Attribute>()));
  return constant(DenseElementsAttr::get(type, element));
}

//===-- results -------------------------------------------------------------===//

std::string NodeBinder::display() const {
  return "node '" + llvm::cast<NameLoc>(loc).getName().str() + "' (" + node.op_type() + ")";
}

void NodeBinder::addRoom(Value value, int64_t axis, int64_t filler, Value count) {
  if (*this && value)
    graphs.bounded.add(value, {axis, filler, display(), count});
}

void NodeBinder::check(Value value, const Twine &what, int64_t max, int64_t total) {
  if (*this)
    graphs.checks.push_back({value, {(display() + ", " + what).str(), max, total}});
}

void NodeBinder::result(unsigned index, Value value) {
  if (!value)
    error("result " + Twine(index) + " could not be built");
  else if (index < results.size())
    results[index] = value;
}

void NodeBinder::run() {
  if (entry.signature)
    error(entry.signature->check(inputs));
  if (*this)
    entry.handler(*this);
  if (!*this)
    return;
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (!attributesRead.contains(attribute.name()))
      error("attribute '" + attribute.name() + "' is not supported");
  for (unsigned i = 0; i < inputs.size(); ++i)
    if (inputs[i] && !inputsRead.test(i))
      error("input " + Twine(i) + " ('" + node.input(i) + "') is not supported");
  for (unsigned i = 0; i < results.size(); ++i)
    if (wanted[i] && !results[i])
      error("output " + Twine(i) + " ('" + node.output(i) + "') is not supported");
}
