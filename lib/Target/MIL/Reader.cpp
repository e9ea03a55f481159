//===- Reader.cpp - MIL statements as ane ops -----------------------------===//

#include "Convert.h"
#include "Custom/Custom.h"
#include "Names.h"
#include "RuntimeSlice.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include "ane/IR/MILArguments.h"
#include "ane/Target/MIL/MIL.h"
#include "mlir/IR/Verifier.h"
#include "runtime/format/mil/parser.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;
using ::ane::rt::ElementType;

namespace {
/// What a name of the text stands for.
struct Definition {
  Value value;                           // null for states, strings and dead constants
  const text::Value *constant = nullptr; // of a const statement
  StateOp state;                         // of a parameter that is a state
};

class FunctionReader {
public:
  FunctionReader(const text::Function &source, const DeserializeOptions &options, MLIRContext *context)
      : source(source), options(options), context(context), builder(context) {}

  /// Builds the function at the builder's insertion point.
  LogicalResult read(OpBuilder &programBuilder);

private:
  const text::Function &source;
  const DeserializeOptions &options;
  MLIRContext *context;
  OpBuilder builder;
  llvm::StringMap<Definition> definitions;
  NameTable names;
  const text::Statement *current = nullptr;

  Location at(text::Location loc, StringRef name = "") const {
    Location position = FileLineColLoc::get(context, options.fileName, loc.line, loc.column);
    // What is no text has no lines: the statement's name is its place.
    if (name.empty() && loc.line == 0 && current && !current->results.empty())
      name = current->results.front().name;
    return name.empty() ? position : Location(NameLoc::get(StringAttr::get(context, name), position));
  }
  /// Errors name the statement's operation.
  InFlightDiagnostic emitError(text::Location loc) const {
    InFlightDiagnostic diag = mlir::emitError(at(loc));
    if (current)
      diag << "'" << current->op << "': ";
    return diag;
  }

  LogicalResult readStatement(const text::Statement &statement);
  LogicalResult readConst(const text::Statement &statement);
  LogicalResult addTypes(const text::Statement &statement, OperationState &state);
  LogicalResult readOp(const text::Statement &statement);
  LogicalResult readParameter(const text::Variable &param, OpBuilder &programBuilder, SmallVectorImpl<Type> &inputs);
  LogicalResult readRuntimeSlice(const text::Statement &statement);
  bool isComputed(const text::Value *value);
  LogicalResult readArgument(const MILArgument &argument, const text::NamedValue &named, OperationState &state,
                             SmallVectorImpl<int32_t> &segments);
  const Definition *lookup(const text::Value &reference);
  FailureOr<text::Value> readLiteral(const text::Value &value, MILForm form, EmitError emit);
  FailureOr<Value> readValue(const text::Value &value);
  FailureOr<Value> readConstant(const text::Value &value, Location loc);
  LogicalResult define(const text::Statement &statement, Operation *op);
  void eraseDeadConstants();
};
} // namespace

const Definition *FunctionReader::lookup(const text::Value &reference) {
  auto known = definitions.find(reference.name);
  if (known != definitions.end())
    return &known->second;
  emitError(reference.loc) << "'" << reference.name << "' is not defined before this use";
  return nullptr;
}

/// A literal or blob as a value of the IR.
FailureOr<Value> FunctionReader::readConstant(const text::Value &value, Location loc) {
  auto emit = [&] { return emitError(value.loc); };
  FailureOr<RankedTensorType> type = fromText(value.type, context, emit);
  if (failed(type))
    return failure();
  if (value.kind == text::Value::Kind::Blob)
    return buildBlob(builder, loc, value, *type, options.weightsDir);
  FailureOr<DenseElementsAttr> elements = fromText(value, *type, emit);
  if (failed(elements))
    return failure();
  return builder.create<ConstOp>(loc, *elements).getResult();
}

FailureOr<Value> FunctionReader::readValue(const text::Value &value) {
  if (value.isElements() || value.kind == text::Value::Kind::Blob)
    return readConstant(value, at(value.loc));
  if (!value.isReference())
    return LogicalResult(emitError(value.loc) << "a tensor is needed here");
  const Definition *definition = lookup(value);
  if (!definition)
    return failure();
  if (!definition->value)
    return LogicalResult(emitError(value.loc) << "'" << value.name << "' is no tensor");
  return definition->value;
}

/// Sets the names of the results, and makes them known to the statements that follow.
LogicalResult FunctionReader::define(const text::Statement &statement, Operation *op) {
  SmallVector<Attribute> resultNames;
  for (auto [result, value] : llvm::zip_equal(statement.results, op->getResults())) {
    // Some generators define a constant twice: the later definition is meant by what follows.
    definitions[result.name] = {value, nullptr, {}};
    resultNames.push_back(builder.getStringAttr(names.unique(result.name)));
  }
  if (!resultNames.empty())
    attrs::name.set(op, resultNames.size() == 1 ? resultNames.front() : builder.getArrayAttr(resultNames));
  return success();
}

LogicalResult FunctionReader::readConst(const text::Statement &statement) {
  const text::Value *value = statement.attribute("val");
  if (!value || statement.results.size() != 1)
    return emitError(statement.loc) << "needs an attribute 'val' and one result";
  const text::Variable &result = statement.results.front();
  text::Type spelled = result.type, given = value->type;
  bool sameElements = spelled.dtype == given.dtype && spelled.dims == given.dims;
  if ((!value->isElements() && value->kind != text::Value::Kind::Blob) || (value->typed && !sameElements))
    return emitError(value->loc) << "'" << result.name << "' is declared " << spelled.str() << ", its value is of type "
                                 << given.str();
  Definition definition;
  definition.constant = value;
  if (spelled.dtype != ElementType::String && (spelled.isScalar() || spelled.isTensor())) {
    text::Value declared = *value;
    declared.type = spelled;
    FailureOr<Value> constant = readConstant(declared, at(statement.loc, result.name));
    if (failed(constant) || failed(define(statement, constant->getDefiningOp())))
      return failure();
    definition.value = *constant;
  }
  definitions[result.name] = definition;
  return success();
}

/// The literal that an argument gives or names. Where the record says so a tuple of scalars is a list.
FailureOr<text::Value> FunctionReader::readLiteral(const text::Value &value, MILForm form, EmitError emit) {
  if (value.isElements())
    return value;
  if (value.isReference()) {
    const Definition *definition = lookup(value);
    if (!definition)
      return failure();
    if (definition->constant && definition->constant->isElements())
      return *definition->constant;
    if (definition->constant && definition->value && definition->constant->kind == text::Value::Kind::Blob)
      return readBlob(*definition->constant, cast<RankedTensorType>(definition->value.getType()), options.weightsDir,
                      at(value.loc));
    return LogicalResult(emit() << "must be a constant, '" << value.name << "' is computed");
  }
  if (form != MILForm::Tuple)
    return LogicalResult(emit() << "must be a constant");
  text::Value list;
  for (const text::Value &item : value.items) {
    FailureOr<text::Value> element = readLiteral(item, MILForm::Usual, emit);
    if (failed(element))
      return failure();
    list.kind = text::Value::Kind::Elements;
    list.type = text::Type::tensor(element->type.dtype, {int64_t(value.items.size())});
    llvm::append_range(list.ints, element->ints);
  }
  if (value.kind != text::Value::Kind::Tuple || list.ints.size() != value.items.size())
    return LogicalResult(emit() << "must be a constant");
  return list;
}

LogicalResult FunctionReader::readArgument(const MILArgument &argument, const text::NamedValue &named,
                                           OperationState &state, SmallVectorImpl<int32_t> &segments) {
  auto emit = [&] { return emitError(named.loc) << "argument '" << named.name << "' "; };
  if (argument.kind == MILArgumentKind::FlatSymbolRefAttr) {
    const Definition *definition = named.value.isReference() ? lookup(named.value) : nullptr;
    if (named.value.isReference() && !definition)
      return failure();
    if (!definition || !definition->state)
      return emit() << "takes a state";
    state.addAttribute(argument.name, FlatSymbolRefAttr::get(StateOp(definition->state).getSymNameAttr()));
    return success();
  }
  if (!isValueArgument(argument)) {
    FailureOr<text::Value> value = readLiteral(named.value, argument.form, emit);
    if (failed(value))
      return failure();
    FailureOr<Attribute> attribute = fromText(*value, argument.kind, context, emit);
    if (failed(attribute))
      return failure();
    state.addAttribute(argument.name, *attribute);
    return success();
  }
  ArrayRef<text::Value> items = named.value;
  if (named.value.kind == text::Value::Kind::Tuple) {
    if (argument.kind != MILArgumentKind::VariadicValue)
      return emit() << "takes one tensor, found a tuple";
    items = named.value.items;
  }
  for (const text::Value &item : items) {
    FailureOr<Value> value = readValue(item);
    if (failed(value))
      return failure();
    state.addOperands(*value);
  }
  segments.back() = items.size();
  return success();
}

/// The declared types, or those that follow from the operands where a declaration leaves a dimension open: all inputs
/// have a shape.
LogicalResult FunctionReader::addTypes(const text::Statement &statement, OperationState &state) {
  auto isOpen = [](const text::Variable &result) { return llvm::is_contained(result.type.dims, text::kUnknownDim); };
  auto *inference = state.name.getInterface<InferTypeOpInterface>();
  if (inference && llvm::any_of(statement.results, isOpen)) {
    SmallVector<Type> types;
    if (failed(inference->inferReturnTypes(context, state.location, state.operands,
                                           state.attributes.getDictionary(context), nullptr, {}, types)))
      return failure();
    state.addTypes(types);
    return success();
  }
  for (const text::Variable &result : statement.results) {
    FailureOr<RankedTensorType> type = fromText(result.type, context, [&] { return emitError(result.loc); });
    if (failed(type))
      return failure();
    state.addTypes(*type);
  }
  return success();
}

LogicalResult FunctionReader::readOp(const text::Statement &statement) {
  std::optional<RegisteredOperationName> name = RegisteredOperationName::lookup(("ane." + statement.op), context);
  auto *mil = name ? name->getInterface<MILSpellingOpInterface>() : nullptr;
  if (!mil)
    return mlir::emitError(at(statement.loc)) << "unknown operation '" << statement.op << "'";
  OperationState state(at(statement.loc, statement.nameAttribute()), *name);

  // Constexpr ops have their arguments among the attributes.
  SmallVector<const text::NamedValue *> given;
  for (const text::NamedValue &argument : statement.arguments)
    given.push_back(&argument);
  for (const text::NamedValue &attribute : statement.attributes)
    if (attribute.name != "name")
      given.push_back(&attribute);
  ArrayRef<MILArgument> table = mil->getMILArguments();
  for (const text::NamedValue *argument : given)
    if (llvm::none_of(table, [&](const MILArgument &known) { return argument->name == known.name; })) {
      InFlightDiagnostic diag = emitError(argument->loc) << "no argument '" << argument->name << "'; it has ";
      llvm::interleaveComma(table, diag, [&](const MILArgument &known) { diag << known.name; });
      return diag;
    }
  SmallVector<int32_t> segments;
  for (const MILArgument &argument : table) {
    const auto *found = llvm::find_if(given, [&](auto *named) { return named->name == argument.name; });
    if (isValueArgument(argument))
      segments.push_back(0);
    if (found != given.end()) {
      if (failed(readArgument(argument, **found, state, segments)))
        return failure();
    } else if (argument.kind == MILArgumentKind::Value) {
      return emitError(statement.loc) << "argument '" << argument.name << "' is missing";
    }
  }
  countFromFront(state);
  if (name->hasTrait<OpTrait::AttrSizedOperandSegments>())
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  if (failed(addTypes(statement, state)))
    return failure();
  Operation *op = builder.create(state);
  // Now and not at the end, so that the first error is the cause and not a consequence.
  if (failed(verify(op)))
    return failure();
  return define(statement, op);
}

/// Whether the value is a tensor that is no constant of the text.
bool FunctionReader::isComputed(const text::Value *value) {
  if (!value || !value->isReference())
    return false;
  auto known = definitions.find(value->name);
  return known != definitions.end() && known->second.value && !known->second.constant;
}

LogicalResult FunctionReader::readRuntimeSlice(const text::Statement &statement) {
  Location loc = at(statement.loc, statement.nameAttribute());
  auto emit = [&] { return emitError(statement.loc); };
  auto read = [&](StringRef name) -> FailureOr<Value> {
    const text::Value *value = statement.argument({name.data(), name.size()});
    if (!value)
      return LogicalResult(emit() << "argument '" << name << "' is missing");
    return readValue(*value);
  };
  // Constants, which may be absent.
  auto readList = [&](StringRef name, MILArgumentKind kind) -> FailureOr<Attribute> {
    const text::Value *value = statement.argument({name.data(), name.size()});
    if (!value)
      return Attribute();
    auto emitNamed = [&] { return emitError(value->loc) << "argument '" << name << "' "; };
    FailureOr<text::Value> literal = readLiteral(*value, MILForm::Usual, emitNamed);
    if (failed(literal))
      return failure();
    return fromText(*literal, kind, context, emitNamed);
  };
  RuntimeSlice slice;
  for (auto [name, mask] : {std::pair("begin_mask", &slice.fromStart), std::pair("squeeze_mask", &slice.drops)}) {
    FailureOr<Attribute> flags = readList(name, MILArgumentKind::DenseBoolArrayAttr);
    if (failed(flags))
      return failure();
    if (*flags)
      llvm::append_range(*mask, cast<DenseBoolArrayAttr>(*flags).asArrayRef());
  }
  FailureOr<Attribute> stride = readList("stride", MILArgumentKind::DenseI64ArrayAttr);
  if (failed(stride))
    return failure();
  if (*stride && llvm::any_of(cast<DenseI64ArrayAttr>(*stride).asArrayRef(), [](int64_t step) { return step != 1; }))
    return emit() << "has computed indices and a stride; such a slice has stride 1";
  if (statement.results.size() != 1)
    return emit() << "has " << statement.results.size() << " results, expected one";
  FailureOr<Value> x = read("x"), begin = read("begin"), result;
  FailureOr<RankedTensorType> type = fromText(statement.results.front().type, context, emit);
  if (failed(x) || failed(begin) || failed(type))
    return failure();
  slice.begin = *begin;
  if (statement.op == "slice_update") {
    FailureOr<Value> update = read("update");
    if (failed(update))
      return failure();
    result = buildSliceUpdate(builder, loc, *x, *update, slice, emit);
  } else {
    result = buildSlice(builder, loc, *x, slice, *type, emit);
  }
  if (failed(result))
    return failure();
  if (result->getType() != *type)
    return emit() << "gives " << result->getType() << ", declared is " << *type;
  return define(statement, result->getDefiningOp());
}

LogicalResult FunctionReader::readStatement(const text::Statement &statement) {
  current = &statement;
  StringRef op = statement.op;
  if ((op == "slice_update" || op == "slice_by_index" || op == "slice_by_size") &&
      (isComputed(statement.argument("begin")) || isComputed(statement.argument("end"))))
    return readRuntimeSlice(statement);
  return statement.isConst() ? readConst(statement) : readOp(statement);
}

/// Constants that became attributes.
void FunctionReader::eraseDeadConstants() {
  for (Operation &op : llvm::make_early_inc_range(*builder.getBlock()))
    if (op.use_empty() && isConstant(&op))
      op.erase();
}

/// A state becomes a symbol of the program, one for all functions that name it.
LogicalResult FunctionReader::readParameter(const text::Variable &param, OpBuilder &programBuilder,
                                            SmallVectorImpl<Type> &inputs) {
  auto emit = [&] { return emitError(param.loc) << "parameter '" << param.name << "': "; };
  if (definitions.count(param.name))
    return emitError(param.loc) << "parameter '" << param.name << "' is declared twice";
  bool isState = param.type.kind == text::Type::Kind::State;
  FailureOr<RankedTensorType> type = fromText(isState ? param.type.params.front() : param.type, context, emit);
  if (failed(type))
    return failure();
  Definition definition;
  if (!isState) {
    inputs.push_back(*type);
  } else if (Operation *known = SymbolTable::lookupSymbolIn(programBuilder.getBlock()->getParentOp(), param.name)) {
    definition.state = dyn_cast<StateOp>(known);
    if (!definition.state || definition.state.getType() != *type)
      return emit() << "'" << param.name << "' is " << (definition.state ? "a state of another type" : "a function")
                    << " in this program";
  } else {
    definition.state = programBuilder.create<StateOp>(at(param.loc, param.name), param.name, *type);
  }
  definitions[param.name] = definition;
  return success();
}

LogicalResult FunctionReader::read(OpBuilder &programBuilder) {
  SmallVector<Type> inputs;
  for (const text::Variable &param : source.params)
    if (failed(readParameter(param, programBuilder, inputs)))
      return failure();
  // The result types are known at the end only.
  auto function = programBuilder.create<func::FuncOp>(at(source.loc, source.name), source.name,
                                                      builder.getFunctionType(inputs, {}));
  attrs::opset.set(function, builder.getStringAttr(source.opset));
  builder.setInsertionPointToStart(function.addEntryBlock());
  SmallVector<Attribute> argumentNames;
  auto arguments = function.getArguments().begin();
  for (const text::Variable &param : source.params) {
    std::string name = names.unique(param.name);
    Definition &definition = definitions[param.name];
    if (definition.state)
      continue;
    definition.value = *arguments++;
    argumentNames.push_back(builder.getStringAttr(name));
  }
  setArgAttrs(function, attrs::portName, argumentNames);
  for (const text::Statement &statement : source.statements)
    if (failed(readStatement(statement)))
      return failure();
  current = nullptr;
  SmallVector<Value> outputs;
  for (const std::string &output : source.outputs) {
    Value value = definitions.lookup(output).value;
    if (!value)
      return emitError(source.loc) << "function '" << source.name << "' returns '" << output
                                   << "', which is no tensor of it";
    outputs.push_back(value);
  }
  builder.create<func::ReturnOp>(at(source.loc), outputs);
  function.setType(builder.getFunctionType(inputs, TypeRange(ValueRange(outputs))));
  eraseDeadConstants();
  return success();
}

OwningOpRef<ModuleOp> mlir::ane::mil::deserialize(const text::Program &program, const DeserializeOptions &options,
                                                  MLIRContext *context) {
  context->loadDialect<ANEDialect, func::FuncDialect>();
  Location begin = FileLineColLoc::get(context, options.fileName, 1, 1);
  OwningOpRef<ModuleOp> module = ModuleOp::create(begin);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto container = builder.create<ProgramOp>(begin, "program");
  attrs::milVersion.set(container, builder.getStringAttr(program.version));
  builder.setInsertionPointToEnd(&container.getBody().emplaceBlock());
  for (const text::Function &function : program.functions)
    if (failed(FunctionReader(function, options, context).read(builder)))
      return {};
  if (failed(verify(*module)))
    return {};
  return module;
}

OwningOpRef<ModuleOp> mlir::ane::mil::deserialize(StringRef source, const DeserializeOptions &options,
                                                  MLIRContext *context) {
  text::ParseError error;
  std::optional<text::Program> program = text::parse({source.data(), source.size()}, {}, error);
  if (program)
    return deserialize(*program, options, context);
  mlir::emitError(FileLineColLoc::get(context, options.fileName, error.loc.line, error.loc.column)) << error.message;
  return {};
}
