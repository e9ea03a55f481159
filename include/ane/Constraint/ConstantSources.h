//===- ConstantSources.h - weights behind constants ------------*- C++ -*-===//
#ifndef ANE_CONSTRAINT_CONSTANTSOURCES_H
#define ANE_CONSTRAINT_CONSTANTSOURCES_H

#include "ane/IR/ANE.h"
#include "llvm/ADT/SetVector.h"
#include <string>

namespace mlir::ane {

/// The constants with `#ane.weight` that the constant expression `value` reads.
SmallVector<ConstOp> weightsOf(Value value);

/// Notes at the weights that the constant expression `value` reads (`ane.decides`) that their elements have decided how
/// the model is compiled: of other elements another bundle may come.
void markDecisive(Value value);

/// What a constant is made from.
struct ConstantSources {
  SmallVector<Attribute, 1> weights; ///< `#ane.weight`, each once
  llvm::SetVector<StringRef> ops;    ///< names of the ops between them and the value, each once
  bool decide = false;               ///< whether one of them has decided how the model was compiled

  explicit ConstantSources(Region &expression);
  explicit ConstantSources(ConstOp leaf) { add(leaf); }
  /// Why the value for other elements of the weights is not made as this one was, empty if it is; `known` are ops whose
  /// effect can be told.
  std::string obstacle(bool known) const;

private:
  void add(ConstOp leaf);
};

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_CONSTANTSOURCES_H
