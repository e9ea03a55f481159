//===- Signature.cpp - what the inputs of an operator may be --------------===//

#include "Signature.h"
#include "Model.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>
#include <tuple>

using namespace mlir;
using namespace mlir::ane::onnx_import;

//===-- the table -------------------------------------------------------------===//

Signature::Signature(StringRef inputs, StringRef variables) {
  llvm::StringMap<SmallVector<StringRef, 4>> types;
  for (StringRef variable : llvm::split(variables, "; ")) {
    auto [name, spelled] = variable.split(" = ");
    llvm::SplitString(spelled, types[name]);
  }
  for (StringRef spelled : llvm::split(inputs, ' ')) {
    if (spelled.empty())
      continue;
    Input input;
    input.isMixed = spelled.consume_back("**");
    input.isRepeated = input.isMixed || spelled.consume_back("*");
    input.isOptional = spelled.consume_back("?");
    input.variable = spelled;
    auto found = types.find(spelled);
    input.types = found == types.end() ? SmallVector<StringRef, 4>{spelled} : found->second;
    declared.push_back(input);
  }
}

const Signature *Signature::lookup(StringRef domain, StringRef op, int64_t since) {
  using Key = std::tuple<std::string, std::string, int64_t>;
  static const std::map<Key, Signature> table = [] {
    std::map<Key, Signature> made;
    auto add = [&](StringRef domain, StringRef op, StringRef versions, StringRef inputs, StringRef variables) {
      for (StringRef version : llvm::split(versions, ' '))
        made.emplace(Key(domain, op, std::stoll(version.str())), Signature(inputs, variables));
    };
#define SIGNATURE(DOMAIN, OP, SINCE, INPUTS, VARIABLES) add(DOMAIN, OP, SINCE, INPUTS, VARIABLES);
#include "Signatures.inc"
#undef SIGNATURE
    return made;
  }();
  auto found = table.find(Key(domain, op, since));
  return found == table.end() ? nullptr : &found->second;
}

//===-- the check -------------------------------------------------------------===//

/// ONNX's name of the type of `value`, without its shape.
static std::string typeName(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return isa<TupleType>(value.getType()) ? "seq" : "optional";
  return dataTypeName(dataTypeOf(tensor.getElementType()));
}

/// Whether type or group `word` of the table covers `type`.
static bool covers(StringRef word, StringRef type) {
  bool isFloat = type == "float16" || type == "float" || type == "double", isInt4 = type.ends_with("int4");
  bool isInt = type.starts_with("int") && !isInt4, isUInt = type.starts_with("uint") && !isInt4;
  return llvm::StringSwitch<bool>(word)
      .Case("numbers", isFloat || isInt || isUInt)
      .Case("floats", isFloat)
      .Case("ints", isInt)
      .Case("uints", isUInt)
      .Case("int4s", isInt4)
      .Case("float8s", type.starts_with("float8"))
      // An optional that is there is imported as the value that it holds.
      .Case("optional", true)
      .Default(word == type);
}

std::string Signature::check(ArrayRef<Value> inputs) const {
  /// Variable -> the input that decided its type.
  llvm::StringMap<size_t> first;
  auto describe = [&](size_t i) {
    std::string type = typeName(inputs[i]);
    return "input " + std::to_string(i) +
           (type == "seq"        ? " is a sequence"
            : type == "optional" ? " is an empty optional"
                                 : " is of type " + type);
  };
  for (auto [d, input] : llvm::enumerate(declared)) {
    if (!input.isOptional && (d >= inputs.size() || !inputs[d]))
      return "input " + std::to_string(d) + " is missing";
    for (size_t i = d, end = input.isRepeated ? inputs.size() : std::min(d + 1, inputs.size()); i < end; ++i) {
      if (!inputs[i])
        continue;
      std::string type = typeName(inputs[i]);
      if (llvm::none_of(input.types, [&](StringRef word) { return covers(word, type); }))
        return describe(i) + "; supported there: " + llvm::join(input.types, ", ");
      size_t other = first.try_emplace(input.variable, i).first->second;
      if (!input.isMixed && isa<RankedTensorType>(inputs[i].getType()) && typeName(inputs[other]) != type)
        return describe(i) + ", but " + describe(other) + ": they must have one type";
    }
  }
  return "";
}
