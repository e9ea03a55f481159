//===- Names.h - names of values in MIL text -------------------*- C++ -*-===//
#ifndef ANE_LIB_TARGET_MIL_NAMES_H
#define ANE_LIB_TARGET_MIL_NAMES_H

#include "ane/Target/MIL/MIL.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ane::mil {

/// The names of one function.
class NameTable {
public:
  /// `wanted` made valid, with a number behind it if it is taken.
  std::string unique(llvm::StringRef wanted);
  /// `stem` with a number behind it.
  std::string numbered(llvm::StringRef stem);

private:
  llvm::StringSet<> used;
  llvm::StringMap<unsigned> next;
};

} // namespace mlir::ane::mil

#endif // ANE_LIB_TARGET_MIL_NAMES_H
