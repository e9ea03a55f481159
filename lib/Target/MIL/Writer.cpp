//===- Writer.cpp - ane ops as MIL statements -----------------------------===//
//
// Each op becomes one statement. Compile-time parameters become named constants in front of the first op that uses them
// (inline literals are refused in places: ane-programming.md 4.6), one for each type and value in a function.
//
//===----------------------------------------------------------------------===//

#include "Convert.h"
#include "Custom/Custom.h"
#include "Names.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/MILArguments.h"
#include "ane/IR/StateAccess.h"
#include "ane/Target/MIL/MIL.h"
#include "runtime/format/mil/printer.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::mil;
using ::ane::rt::ElementType;

namespace {
class FunctionWriter {
public:
  explicit FunctionWriter(func::FuncOp function) : function(function) {}
  FailureOr<text::Function> write();

private:
  func::FuncOp function;
  text::Function result;
  NameTable names;
  DenseMap<Value, std::string> valueNames;
  llvm::StringMap<std::string> parameterNames;         // by the text of the value
  llvm::MapVector<StringAttr, std::string> stateNames; // of those that the function accesses
  Opset opset = Opset::ios16;

  LogicalResult readOpset();
  void nameValues();
  LogicalResult writeOp(Operation *op);
  LogicalResult writeConstant(Operation *op, text::Value value);
  FailureOr<text::Value> writeOperands(MILSpellingOpInterface op, const MILArgument &argument, OperandRange operands);
  text::Value nameParameter(StringRef argument, text::Value value);
  void addStatement(Operation *op, StringRef name, std::vector<text::NamedValue> arguments,
                    std::vector<text::NamedValue> attributes);
};
} // namespace

static text::Value stringValue(StringRef value) {
  return text::Value::string(value.str(), text::Type::tensor(ElementType::String, {}));
}

/// The target's opset (ane.target on the module) unless the function has one of its own.
LogicalResult FunctionWriter::readOpset() {
  if (auto module = function->getParentOfType<ModuleOp>())
    if (auto target = attrs::target.get(module))
      opset = target.getOpset();
  if (auto attr = attrs::opset.get(function)) {
    std::optional<Opset> named = symbolizeOpset(attr.getValue());
    if (!named)
      return function.emitError() << "unknown opset '" << attr.getValue() << "' in " << attrs::opset.name;
    opset = *named;
  }
  // No program below ios16 is known to load (ane-programming.md 4.2).
  opset = std::max(opset, Opset::ios16);
  result.opset = stringifyOpset(opset).str();
  return success();
}

/// All values get their names before any constant does: so names do not depend on how parameters are spelled, and text
/// that was read and written again is the same.
void FunctionWriter::nameValues() {
  auto assign = [&](Value value, Attribute wanted, StringRef stem) {
    auto name = dyn_cast_or_null<StringAttr>(wanted);
    valueNames[value] = name ? names.unique(name.getValue()) : names.numbered(stem);
  };
  for (BlockArgument argument : function.getArguments())
    assign(argument, attrs::portName.ofArgument(function, argument.getArgNumber()), "in");
  for (Operation &op : function.front())
    if (StringAttr state = stateAccessOf(&op).state; state && !stateNames.count(state))
      stateNames[state] = names.unique(state);
  // Names that are given come first, whatever the order of the ops.
  for (bool given : {true, false})
    for (Operation &op : function.front())
      for (OpResult value : op.getResults()) {
        Attribute wanted = attrs::name.get(&op);
        if (auto list = dyn_cast_or_null<ArrayAttr>(wanted))
          wanted = value.getResultNumber() < list.size() ? list[value.getResultNumber()] : Attribute();
        if (bool(wanted) == given)
          assign(value, wanted, op.getName().stripDialect());
      }
}

/// A reference to the constant, which is made if the function has none of this type and value.
text::Value FunctionWriter::nameParameter(StringRef argument, text::Value value) {
  if (value.kind == text::Value::Kind::Tuple) {
    for (text::Value &item : value.items)
      item = nameParameter(argument, std::move(item));
    return value;
  }
  auto [known, inserted] = parameterNames.try_emplace(value.type.str() + text::print(value));
  if (inserted) {
    known->second = names.numbered(argument);
    text::Statement statement;
    statement.results = {{value.type, known->second, {}}};
    statement.op = "const";
    statement.attributes = {{"name", stringValue(known->second), {}}, {"val", std::move(value), {}}};
    result.statements.push_back(std::move(statement));
  }
  return text::Value::reference(known->second);
}

void FunctionWriter::addStatement(Operation *op, StringRef name, std::vector<text::NamedValue> arguments,
                                  std::vector<text::NamedValue> attributes) {
  text::Statement statement;
  for (Value value : op->getResults()) // the types were checked by writeOp
    statement.results.push_back({*toText(value.getType(), [&] { return op->emitError(); }), valueNames[value], {}});
  statement.op = name.str();
  statement.arguments = std::move(arguments);
  statement.attributes = std::move(attributes);
  std::string label = statement.results.empty() ? names.numbered(name) : statement.results.front().name;
  statement.attributes.insert(statement.attributes.begin(), {"name", stringValue(label), {}});
  result.statements.push_back(std::move(statement));
}

FailureOr<text::Value> FunctionWriter::writeOperands(MILSpellingOpInterface op, const MILArgument &argument,
                                                     OperandRange operands) {
  if (argument.kind != MILArgumentKind::VariadicValue)
    return text::Value::reference(valueNames[operands.front()]);
  std::vector<text::Value> items;
  for (Value operand : operands)
    items.push_back(text::Value::reference(valueNames[operand]));
  return text::Value::tuple(std::move(items));
}

LogicalResult FunctionWriter::writeOp(Operation *op) {
  auto emitError = [op] { return op->emitOpError(); };
  for (Value value : op->getResults())
    if (failed(toText(value.getType(), emitError)))
      return failure();
  if (FailureOr<std::optional<text::Value>> constant = constantValue(op); failed(constant))
    return failure();
  else if (*constant) {
    if (!isInlined(op))
      addStatement(op, "const", {}, {{"val", std::move(**constant), {}}});
    return success();
  }
  auto mil = dyn_cast<MILSpellingOpInterface>(op);
  if (!mil)
    return emitError() << "has no spelling in MIL; it must be decomposed or run on the host";
  if (mil.getMinOpset() > opset)
    return emitError() << "needs opset " << stringifyOpset(mil.getMinOpset()) << ", the program is written for "
                       << stringifyOpset(opset) << "; set a target with a later opset";
  std::vector<text::NamedValue> arguments;
  bool inBrackets = mil.hasArgumentsInBrackets();
  // Any order is legal; that of the names does not change when a record is edited.
  ArrayRef<MILArgument> table = mil.getMILArguments();
  SmallVector<OperandRange> groups = getOperandsByArgument(mil);
  auto order = llvm::to_vector(llvm::seq<size_t>(0, table.size()));
  llvm::sort(order, [&](size_t a, size_t b) { return StringRef(table[a].name) < table[b].name; });
  for (size_t index : order) {
    const MILArgument &argument = table[index];
    OperandRange operands = groups[index];
    FailureOr<text::Value> value;
    if (isValueArgument(argument)) {
      if (operands.empty())
        continue;
      value = inBrackets ? inlineOperand(mil, argument, operands.front()) : writeOperands(mil, argument, operands);
    } else {
      FailureOr<bool> spelled = isSpelled(mil, argument, opset);
      if (failed(spelled))
        return failure();
      if (!*spelled)
        continue;
      if (argument.kind == MILArgumentKind::FlatSymbolRefAttr) {
        arguments.push_back({argument.name, text::Value::reference(stateNames[stateAccessOf(op).state]), {}});
        continue;
      }
      value = parameterValue(mil, argument);
      if (succeeded(value) && !inBrackets)
        value = nameParameter(argument.name, std::move(*value));
    }
    if (failed(value))
      return failure();
    arguments.push_back({argument.name, std::move(*value), {}});
  }
  if (inBrackets)
    addStatement(op, mil.getMILName(), {}, std::move(arguments));
  else
    addStatement(op, mil.getMILName(), std::move(arguments), {});
  return success();
}

FailureOr<text::Function> FunctionWriter::write() {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError("a MIL function has one block, found ") << function.getBody().getBlocks().size();
  result.name = function.getName().str();
  if (makeName(result.name) != result.name)
    return function.emitError() << "'" << result.name << "' is no name of a MIL function";
  if (failed(readOpset()))
    return failure();
  nameValues();
  for (BlockArgument argument : function.getArguments()) {
    FailureOr<text::Type> type = toText(
        argument.getType(), [&] { return function.emitError() << "argument " << argument.getArgNumber() << ": "; });
    if (failed(type))
      return failure();
    result.params.push_back({std::move(*type), valueNames[argument], {}});
  }
  for (auto &[state, name] : stateNames) {
    auto symbol = SymbolTable::lookupNearestSymbolFrom<StateOp>(function, state);
    FailureOr<text::Type> type = toText(symbol.getType(), [&] { return symbol.emitOpError(); });
    if (failed(type))
      return failure();
    text::Type wrapped;
    wrapped.kind = text::Type::Kind::State;
    wrapped.params.push_back(std::move(*type));
    result.params.push_back({std::move(wrapped), name, {}});
  }
  for (Operation &op : function.front().without_terminator())
    if (failed(writeOp(&op)))
      return failure();
  Operation *terminator = function.front().getTerminator();
  if (terminator->getNumOperands() == 0)
    return function.emitError("a MIL function returns at least one value");
  for (Value value : terminator->getOperands())
    result.outputs.push_back(valueNames[value]);
  return std::move(result);
}

//===-- programs ----------------------------------------------------------===//

FailureOr<text::Program> mlir::ane::mil::buildProgram(Operation *op) {
  SmallVector<func::FuncOp> functions;
  if (auto function = dyn_cast<func::FuncOp>(op))
    functions.push_back(function);
  else if (isa<ProgramOp, ModuleOp>(op))
    llvm::append_range(functions, op->getRegion(0).getOps<func::FuncOp>());
  llvm::erase_if(functions, [](func::FuncOp function) { return function.isExternal(); });
  if (functions.empty())
    return op->emitError("no function to write as MIL");
  text::Program program;
  program.version = "1.0";
  if (auto version = attrs::milVersion.get(op))
    program.version = version.str();
  if (program.version != "1.0" && program.version != "1.3")
    return op->emitError() << "unknown MIL version '" << program.version << "' in " << attrs::milVersion.name
                           << "; 1.0 and 1.3 are known";
  // It must be there, its contents do not matter (ane-programming.md 4.2).
  text::Value buildInfo;
  buildInfo.kind = text::Value::Kind::Dict;
  buildInfo.type.kind = text::Type::Kind::Dict;
  buildInfo.type.params.assign(2, text::Type::scalar(ElementType::String));
  for (const char *word : {"coremlc-version", "3505.4.1"}) {
    buildInfo.items.push_back(text::Value::string(word));
    buildInfo.items.back().typed = false;
  }
  program.attributes.push_back({"buildInfo", std::move(buildInfo), {}});
  for (func::FuncOp function : functions) {
    FailureOr<text::Function> written = FunctionWriter(function).write();
    if (failed(written))
      return failure();
    program.functions.push_back(std::move(*written));
  }
  respell(program, program.version == "1.0" ? text::Spelling::Long : text::Spelling::Short);
  return program;
}

LogicalResult mlir::ane::mil::serialize(Operation *op, llvm::raw_ostream &os) {
  if (auto module = dyn_cast<ModuleOp>(op)) {
    SmallVector<ProgramOp> programs(module.getOps<ProgramOp>());
    if (programs.size() > 1) {
      InFlightDiagnostic diag = module.emitError()
                                << "one MIL text holds one program, the module has " << programs.size();
      for (ProgramOp program : programs)
        diag.attachNote(program.getLoc()) << "program '" << program.getSymName() << "'";
      return diag;
    }
    if (programs.size() == 1)
      op = programs.front();
  }
  FailureOr<text::Program> program = buildProgram(op);
  if (failed(program))
    return failure();
  os << text::print(*program);
  return success();
}
