//===- Names.cpp - names of values in MIL text ----------------------------===//

#include "Names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::ane::mil;

/// Words that other readers of MIL take for something else (coreml-mlprogram.md 1.4).
static bool isReserved(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases("any", "bool", "program", "func", "tensor", "list", "dict", "tuple", "true", "false", true)
      .Cases("string", "bf16", "fp16", "fp32", "fp64", "int4", "int8", "int16", "int32", "int64", true)
      .Cases("uint1", "uint2", "uint3", "uint4", "uint6", "uint8", "uint16", "uint32", "uint64", "state", true)
      .Cases("const", "inf", "infinity", "nan", "BLOBFILE", true)
      .Default(false);
}

std::string mlir::ane::mil::makeName(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) || c == '_' ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()) || isReserved(name))
    name.insert(name.begin(), '_');
  return name;
}

std::string NameTable::unique(StringRef wanted) {
  std::string name = makeName(wanted);
  return used.insert(name).second ? name : numbered(name);
}

std::string NameTable::numbered(StringRef stem) {
  // The number keeps a word of the language apart: "const_0" is a good name.
  unsigned &number = next[stem];
  while (true) {
    std::string name = makeName((stem + "_" + llvm::Twine(number++)).str());
    if (used.insert(name).second)
      return name;
  }
}
