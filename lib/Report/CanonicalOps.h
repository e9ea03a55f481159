//===- CanonicalOps.h - what ops of programs come from ---------*- C++ -*-===//
#ifndef ANE_LIB_REPORT_CANONICALOPS_H
#define ANE_LIB_REPORT_CANONICALOPS_H

#include "ane/IR/ANE.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ane {

/// The canonical bodies by the engine regions and procedures that compute the same.
class CanonicalOps {
public:
  explicit CanonicalOps(IslandOp island);
  /// Of all programs.
  explicit CanonicalOps(ModuleOp module);

  /// The ops that an op of an engine region or of a procedure comes from (`ane.from`).
  SmallVector<Operation *> originsOf(Operation *op) const;
  /// The model's node among them; that of an op of the same kind, if there is one.
  std::string nodeOf(Operation *op) const;

private:
  void add(Operation *engine, Region &twin);

  llvm::DenseMap<Operation *, SmallVector<Operation *>> twins; // by the op that holds the engine's region
};

} // namespace mlir::ane

#endif // ANE_LIB_REPORT_CANONICALOPS_H
