//===- MeaningGen.cpp - what ops make of elements --------------------------===//
//
// Field `meaning` of an element-wise op's record becomes a function template over the kind of number (Number.h), for
// the evaluation of constants and for CPU code, and a row of the list that both walk.
//
//===----------------------------------------------------------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;
using namespace ane_tblgen;

/// The op's operands, and declarations of its parameters.
static std::pair<std::vector<std::string>, std::string> argumentsOf(const Record &op) {
  std::vector<std::string> operands;
  std::string parameters;
  const DagInit *arguments = op.getValueAsDag("arguments");
  for (unsigned i = 0; i < arguments->getNumArgs(); ++i) {
    StringRef name = arguments->getArgNameStr(i);
    const Record &argument = *cast<DefInit>(arguments->getArg(i))->getDef();
    std::string getter = "op.get" + convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true) + "()";
    if (!argument.isSubClassOf("Attr"))
      operands.push_back(name.str());
    else if (argument.getValueAsString("storageType").trim().ends_with("::FloatAttr"))
      parameters += ("  const double " + name + " = " + getter + ".convertToDouble();\n").str();
    else if (argument.getValueAsString("storageType").trim().ends_with("::StringAttr"))
      parameters += ("  const ::llvm::StringRef " + name + " = " + getter + ";\n").str();
    else
      PrintFatalError(&op, "parameter '" + name + "' is of a kind that field 'meaning' can't read");
  }
  return {operands, parameters};
}

/// Which elements the first operand may have.
static std::pair<bool, bool> elementsOf(const Record &op) {
  StringRef type = cast<DefInit>(op.getValueAsDag("arguments")->getArg(0))->getDef()->getName();
  if (type == "ANE_FloatTensor")
    return {true, false};
  if (type == "ANE_IndexTensor" || type == "ANE_BoolTensor")
    return {false, true};
  if (type == "ANE_NumberTensor" || type == "ANE_ElementTensor" || type == "ANE_Tensor")
    return {true, true};
  PrintFatalError(&op, "field 'meaning' of an op whose first operand is of type " + type);
}

static bool emitMeanings(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-meanings from field `meaning` of include/ane/IR/Ops; do not edit.\n";
  std::string list;
  raw_string_ostream rows(list);
  os << "#ifdef GET_MEANINGS\n#undef GET_MEANINGS\n";
  for (const Record *op : records.getAllDerivedDefinitions("ANE_Op")) {
    StringRef meaning = op->getValueAsString("meaning");
    if (meaning.empty())
      continue;
    std::string name = op->getName().substr(strlen("ANE_")).str();
    auto [operands, parameters] = argumentsOf(*op);
    auto [floats, integers] = elementsOf(*op);
    os << "template <typename Number>\nauto meaningOf([[maybe_unused]] ::mlir::ane::" << name << " op";
    for (StringRef operand : operands)
      os << ", Number " << operand;
    os << ") {\n" << parameters << "  return " << meaning << ";\n}\n";
    rows << "MEANING(" << name << ", " << operands.size() << ", " << (floats ? "true" : "false") << ", "
         << (integers ? "true" : "false") << ", " << (op->getValueAsBit("isCheap") ? "true" : "false") << ")\n";
  }
  os << "#endif\n#ifdef GET_MEANING_LIST\n#undef GET_MEANING_LIST\n" << list << "#endif\n";
  return false;
}

static mlir::GenRegistration meanings("gen-ane-meanings", "What element-wise ops make of elements", emitMeanings);
