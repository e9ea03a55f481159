//===- Fingerprint.cpp - what a model computes, in lines ------------------===//

#include "Fingerprint.h"
#include "ane/IR/Training.h"
#include "ane/Support/Diagnostics.h"
#include "ane/Support/WeightTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"
#include <map>

using namespace mlir;
using namespace mlir::ane;

static std::string textOf(Attribute attr) {
  std::string text;
  llvm::raw_string_ostream(text) << attr;
  return text;
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// The kind of an op: its name and attributes, but for what later phases or debugging want. A weight that can't be read
/// stands for itself: who writes the bundle says what is wrong with it.
static std::string describe(Operation *op) {
  std::string text = op->getName().getStringRef().substr(StringRef("ane.").size()).str();
  if (auto constant = dyn_cast<ConstOp>(op)) {
    std::string node = nodeName(op->getLoc());
    text += " " + node + (node.empty() ? "" : " ") + textOf(op->getResult(0).getType());
    if (auto weight = dyn_cast<WeightAttr>(constant.getValue())) {
      ScopedDiagnosticHandler quiet(op->getContext(), [](Diagnostic &) { return success(); });
      auto bytes = cast<ANEDialect>(weight.getDialect()).getWeights().lookup(weight, [&] { return op->emitError(); });
      if (failed(bytes))
        return text;
      return text + " " + llvm::utohexstr(llvm::xxh3_64bits(StringRef(bytes->data(), bytes->size())), true);
    }
    std::string value = textOf(constant.getValue());
    constexpr size_t mostShown = 64;
    return text + " " + (value.size() <= mostShown ? value : llvm::utohexstr(llvm::xxh3_64bits(value), true));
  }
  std::string list;
  for (NamedAttribute attr : op->getAttrs())
    if (attr.getName() != "operandSegmentSizes" &&
        (!attr.getName().getValue().starts_with("ane.") || attr.getName() == attrs::batchStatistics.name ||
         attr.getName() == attrs::stopsGradient.name))
      list += (list.empty() ? "" : ", ") + attr.getName().str() + " = " + textOf(attr.getValue());
  return text + (list.empty() ? "" : " {" + list + "}");
}

ArrayAttr mlir::ane::fingerprintOf(ModuleOp module, func::FuncOp function) {
  Builder b(module.getContext());
  SmallVector<Attribute> lines;
  if (DictionaryAttr configuration = attrs::configuration.get(module))
    for (NamedAttribute each : configuration)
      lines.push_back(b.getStringAttr(each.getName().getValue() + " " + textOf(each.getValue())));
  std::map<std::string, int64_t> kinds;
  DenseMap<Value, uint64_t> values;
  for (BlockArgument argument : function.getArguments())
    values[argument] = argument.getArgNumber();
  uint64_t structure = 0;
  for (Operation &op : function.front()) {
    uint64_t hash = 0;
    if (!op.hasTrait<OpTrait::IsTerminator>()) {
      std::string kind = describe(&op);
      ++kinds[kind];
      hash = llvm::xxh3_64bits(kind);
    }
    auto mix = [&](uint64_t part) {
      uint64_t both[] = {hash, part};
      hash = llvm::xxh3_64bits(StringRef(reinterpret_cast<const char *>(both), sizeof both));
    };
    for (Value operand : op.getOperands())
      mix(values.lookup(operand));
    for (OpResult result : op.getResults()) {
      mix(llvm::xxh3_64bits(textOf(result.getType())));
      values[result] = hash;
    }
    if (op.hasTrait<OpTrait::IsTerminator>())
      structure = hash;
  }
  for (auto &[kind, count] : kinds)
    lines.push_back(b.getStringAttr(std::to_string(count) + " x " + kind));
  lines.push_back(b.getStringAttr("structure " + llvm::utohexstr(structure, true)));
  return b.getArrayAttr(lines);
}
