//===- RecomputeRules.h - what a backward pass computes anew ---*- C++ -*-===//
#ifndef ANE_TRANSFORMS_RECOMPUTERULES_H
#define ANE_TRANSFORMS_RECOMPUTERULES_H

#include "ane/Support/NamePatterns.h"

namespace mlir::ane {

/// What is kept of a forward pass: words of ane-recompute, where they are explained.
enum class Recomputing { Auto, Attention, None, All };

/// Says it for each node of a model.
class RecomputeRules {
public:
  /// Takes auto, attention, none and all, for all nodes, and PATTERN=how. Fails with a message for anything else.
  static llvm::Expected<RecomputeRules> create(llvm::ArrayRef<std::string> texts);

  /// By the last rule that matches; Auto without one.
  Recomputing of(llvm::StringRef node);
  /// The text of the first pattern that has matched no node.
  std::optional<llvm::StringRef> unused() const;

private:
  std::list<std::pair<NamePatterns, Recomputing>> rules;
};

} // namespace mlir::ane

#endif // ANE_TRANSFORMS_RECOMPUTERULES_H
