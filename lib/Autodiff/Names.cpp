//===- Names.cpp - names of inputs, outputs and weights -------------------===//

#include "Names.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

func::FuncOp mlir::ane::findFunction(ModuleOp module, StringRef name) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (function && function.getBody().hasOneBlock())
    return function;
  std::string known;
  for (auto other : module.getOps<func::FuncOp>())
    known += (known.empty() ? "" : ", ") + other.getSymName().str();
  if (function)
    function.emitOpError() << "has " << function.getBody().getBlocks().size() << " blocks, expected one";
  else
    module.emitError() << "no function is called '" << name << "'; functions: " << known;
  return nullptr;
}

static std::string nameOr(StringAttr name, StringRef prefix, unsigned index) {
  return name ? name.str() : (prefix + Twine(index)).str();
}
std::string mlir::ane::inputName(func::FuncOp function, unsigned index) {
  return nameOr(attrs::ioName.ofArgument(function, index), "input_", index);
}
std::string mlir::ane::outputName(func::FuncOp function, unsigned index) {
  return nameOr(attrs::ioName.ofResult(function, index), "output_", index);
}

FailureOr<unsigned> mlir::ane::findOutput(func::FuncOp function, StringRef name,
                                          function_ref<bool(RankedTensorType)> isFit, StringRef wanted) {
  SmallVector<unsigned> found;
  std::string known;
  llvm::raw_string_ostream os(known);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    os << (i ? ", " : "") << outputName(function, i) << " (" << function.getResultTypes()[i] << ")";
    bool fits = isFit(cast<RankedTensorType>(function.getResultTypes()[i]));
    if (fits && (name.empty() || outputName(function, i) == name))
      found.push_back(i);
  }
  if (found.size() == 1)
    return found.front();
  if (name.empty())
    return function.emitOpError() << "has " << found.size() << " outputs that are " << wanted
                                  << ", expected one, or the name of one; outputs: " << known;
  return function.emitOpError() << "has no output '" << name << "' that is " << wanted << "; outputs: " << known;
}

SmallVector<Value> mlir::ane::addInputs(func::FuncOp function, ArrayRef<std::pair<std::string, Type>> inputs) {
  Builder builder(function.getContext());
  SmallVector<Attribute> names;
  SmallVector<Type> types(function.getArgumentTypes());
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    names.push_back(builder.getStringAttr(inputName(function, i)));
  SmallVector<Value> added;
  for (const auto &[name, type] : inputs) {
    types.push_back(type);
    names.push_back(builder.getStringAttr(name));
    added.push_back(function.getBody().addArgument(type, NameLoc::get(builder.getStringAttr(name), function.getLoc())));
  }
  // The attributes of arguments are as many as the arguments.
  SmallVector<DictionaryAttr> attributes;
  function.getAllArgAttrs(attributes);
  attributes.resize(types.size(), builder.getDictionaryAttr({}));
  function.setType(builder.getFunctionType(types, function.getResultTypes()));
  function.setAllArgAttrs(attributes);
  setArgAttrs(function, attrs::ioName, names);
  return added;
}

void mlir::ane::setOutputs(func::FuncOp function, ValueRange values, ArrayRef<std::string> names) {
  Builder builder(function.getContext());
  SmallVector<DictionaryAttr> attributes;
  for (const std::string &name : names)
    attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(attrs::ioName, builder.getStringAttr(name))));
  function.getBody().front().getTerminator()->setOperands(values);
  function.removeResAttrsAttr();
  function.setType(builder.getFunctionType(function.getArgumentTypes(), values.getTypes()));
  function.setAllResultAttrs(attributes);
}

std::map<std::string, SmallVector<Value>> mlir::ane::namedWeights(ModuleOp module, func::FuncOp function) {
  DenseMap<Attribute, SmallVector<Value>> constants;
  for (auto op : function.getOps<ConstOp>())
    if (isa<WeightAttr>(op.getValue()) && isa<FloatType>(op.getType().getElementType()))
      constants[op.getValue()].push_back(op);
  std::map<std::string, SmallVector<Value>> result;
  if (auto names = attrs::weights.get(module))
    for (NamedAttribute named : names)
      if (auto found = constants.find(named.getValue()); found != constants.end())
        result[named.getName().str()] = found->second;
  return result;
}

LogicalResult NamePatterns::parse(Operation *op, StringRef option, ArrayRef<std::string> texts) {
  this->option = option.str();
  for (const std::string &text : texts) {
    Pattern &pattern = patterns.emplace_back();
    pattern.text = text;
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern.text);
    if (!glob)
      return op->emitError() << option << "=" << text << ": " << llvm::toString(glob.takeError());
    pattern.glob = std::move(*glob);
  }
  return success();
}

bool NamePatterns::match(StringRef name) {
  bool matches = false;
  for (Pattern &pattern : patterns)
    if (pattern.glob.match(name))
      matches = pattern.used = true;
  return matches;
}

LogicalResult NamePatterns::checkUsed(Operation *op, ArrayRef<std::string> known) const {
  constexpr size_t shown = 20;
  for (const Pattern &pattern : patterns)
    if (!pattern.used)
      return op->emitError() << option << "=" << pattern.text
                             << ": nothing is called so; known: " << llvm::join(known.take_front(shown), ", ")
                             << (known.size() > shown ? ", ..."
                                 : known.empty()      ? "nothing"
                                                      : "");
  return success();
}
