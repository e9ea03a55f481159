//===- Names.cpp - names of inputs, outputs and weights -------------------===//

#include "Names.h"
#include "ane/IR/DialectAttrs.h"
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

static DictionaryAttr named(Builder builder, StringRef name) {
  return builder.getDictionaryAttr(builder.getNamedAttr(attrs::ioName, builder.getStringAttr(name)));
}

SmallVector<Value> mlir::ane::addInputs(func::FuncOp function, ArrayRef<std::pair<std::string, Type>> inputs) {
  Builder builder(function.getContext());
  unsigned before = function.getNumArguments();
  SmallVector<unsigned> places(inputs.size(), before);
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Location> locations;
  for (const auto &[name, type] : inputs) {
    types.push_back(type);
    attributes.push_back(named(builder, name));
    locations.push_back(NameLoc::get(builder.getStringAttr(name), function.getLoc()));
  }
  function.insertArguments(places, types, attributes, locations);
  return llvm::to_vector_of<Value>(function.getArguments().drop_front(before));
}

void mlir::ane::addOutputs(func::FuncOp function, ValueRange values, ArrayRef<std::string> names) {
  SmallVector<unsigned> places(values.size(), function.getNumResults());
  SmallVector<DictionaryAttr> attributes;
  for (const std::string &name : names)
    attributes.push_back(named(Builder(function.getContext()), name));
  function.insertResults(places, values.getTypes(), attributes);
  Operation *end = function.getBody().front().getTerminator();
  end->insertOperands(end->getNumOperands(), values);
}

std::map<std::string, SmallVector<Value>> mlir::ane::namedWeights(ModuleOp module, func::FuncOp function,
                                                                  bool inBlocks) {
  DenseMap<Attribute, SmallVector<Value>> constants;
  auto isBlocks = [](Operation *user) { return isa<ConstexprBlocksOp>(user); };
  for (auto op : function.getOps<ConstOp>())
    if (isa<WeightAttr>(op.getValue()) &&
        (isa<FloatType>(op.getType().getElementType()) || (inBlocks && llvm::any_of(op->getUsers(), isBlocks))))
      constants[op.getValue()].push_back(op);
  std::map<std::string, SmallVector<Value>> result;
  if (auto names = attrs::weights.get(module))
    for (NamedAttribute named : names)
      if (auto found = constants.find(named.getValue()); found != constants.end())
        result[named.getName().str()] = found->second;
  return result;
}

FailureOr<NamePatterns> mlir::ane::parsePatterns(Operation *op, StringRef option, ArrayRef<std::string> texts) {
  auto patterns = NamePatterns::create(option, texts);
  if (!patterns)
    return op->emitError() << llvm::toString(patterns.takeError());
  return std::move(*patterns);
}

LogicalResult mlir::ane::checkUsed(Operation *op, StringRef option, const NamePatterns &patterns,
                                   ArrayRef<std::string> known) {
  constexpr size_t shown = 20;
  auto unused = patterns.unused();
  if (!unused)
    return success();
  std::string names = known.empty() ? "nothing" : llvm::join(known.take_front(shown), ", ");
  return op->emitError() << option << "=" << *unused << ": nothing is called so; known: " << names
                         << (known.size() > shown ? ", ..." : "");
}
