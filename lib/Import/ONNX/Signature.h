//===- Signature.h - what the inputs of an operator may be -----*- C++ -*-===//
//
// Handlers emit other ops and look at shapes and element types as they go. Which element types an operator takes at
// all, and which inputs it can't do without, is checked here, for all of them, before any handler runs.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_ONNX_SIGNATURE_H
#define ANE_LIB_IMPORT_ONNX_SIGNATURE_H

#include "mlir/IR/Value.h"
#include <string>

namespace mlir::ane::onnx_import {

/// The inputs of one version of an operator, as its schema declares them.
class Signature {
public:
  /// `inputs` and `variables` as Signatures.inc spells them.
  Signature(StringRef inputs, StringRef variables);

  /// Of the version that began with `since`; null if the table lacks it.
  static const Signature *lookup(StringRef domain, StringRef op, int64_t since);

  /// What is wrong with `inputs` (null: left out); empty if nothing is. More inputs than are declared are not looked
  /// at.
  std::string check(ArrayRef<Value> inputs) const;

private:
  struct Input {
    /// Inputs of one variable have one type. A type where there is no choice.
    StringRef variable;
    /// Types and groups of types.
    SmallVector<StringRef, 4> types;
    bool isOptional, isRepeated, isMixed;
  };

  SmallVector<Input, 4> declared;
};

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_SIGNATURE_H
