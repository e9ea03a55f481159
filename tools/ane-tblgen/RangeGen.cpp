//===- RangeGen.cpp - bounds of values for the emulator's linter ----------===//
//
// The compiler evaluates field `range` of an op's record as C++ on the op. The linter has a statement of MIL text
// instead: here what the expression asks of the op becomes a question about the arguments of the statement.
//
//===----------------------------------------------------------------------===//

#include "Catalog.h"
#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;
using namespace ane_tblgen;

static void replaceAll(std::string &text, StringRef from, const Twine &to) {
  std::string with = to.str();
  for (size_t at = 0; (at = text.find(from.data(), at, from.size())) != std::string::npos; at += with.size())
    text.replace(at, from.size(), with);
}

/// The argument's name, quoted, and its default value behind it, if it has one.
static std::string argumentOf(StringRef name, const Record &attribute) {
  std::optional<StringRef> fallback = attribute.getValueAsOptionalString("defaultValue");
  return quoted(name) + (fallback ? (", " + *fallback).str() : "");
}

static void emitRule(const Record &op, raw_ostream &os) {
  std::string rule = op.getValueAsString("range").str();
  const DagInit *arguments = op.getValueAsDag("arguments");
  std::vector<std::string> operands;
  for (unsigned i = 0; i < arguments->getNumArgs(); ++i) {
    StringRef name = arguments->getArgNameStr(i);
    const Record &argument = *cast<DefInit>(arguments->getArg(i))->getDef();
    std::string getter = "get" + convertToCamelFromSnakeCase(name, /*capitalizeFirst=*/true) + "()";
    if (!argument.isSubClassOf("Attr")) {
      operands.push_back(name.str());
      replaceAll(rule, getter, "op.has(" + quoted(name) + ")");
    } else if (argument.getValueAsString("storageType").trim().ends_with("::FloatAttr")) {
      replaceAll(rule, getter + ".convertToDouble()", "op.real(" + argumentOf(name, argument) + ")");
    } else if (argument.getValueAsString("storageType").trim().ends_with("::StringAttr")) {
      replaceAll(rule, getter, "op.string(" + argumentOf(name, argument) + ")");
    }
  }
  replaceAll(rule, "getDepth()", "op.depth()");
  if (SmallVector<StringRef> match; Regex("get[A-Z][A-Za-z]*").match(rule, &match))
    PrintFatalError(&op, "field 'range' asks for " + match[0] + ", which the linter does not know");
  // A rule that looks at no operand needs none.
  if (!Regex("(^|[^a-z.])(x|y|ranges)($|[^a-z])").match(rule))
    operands.clear();
  os << "{" << quoted(op.getValueAsString("opName")) << ", {" << join(map_range(operands, quoted), ", ")
     << "}, [](const Arguments &op, const Ranges &ranges, FloatRange x, FloatRange y) -> FloatRange { return " << rule
     << "; }},\n";
}

static bool emitRules(const RecordKeeper &records, raw_ostream &os) {
  os << "// Made by ane-tblgen -gen-ane-lint-ranges from field `range` of include/ane/IR/Ops; do not edit.\n";
  for (const Record *op : records.getAllDerivedDefinitions("ANE_MILOp"))
    if (!op->getValueAsString("range").empty())
      emitRule(*op, os);
  return false;
}

static mlir::GenRegistration ranges("gen-ane-lint-ranges", "Bounds of values for the emulator's linter", emitRules);
