//===- WeightConstants.h - constants that a program has as weights -*- C++ -*-===//
#ifndef ANE_CONSTRAINT_WEIGHTCONSTANTS_H
#define ANE_CONSTRAINT_WEIGHTCONSTANTS_H

#include "mlir/IR/Block.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::ane {

/// Counts what C224 counts: constants that are or become records of weight files, each in the text of its function, and
/// one more where an op reads a number that stands in the text.
class WeightConstants {
public:
  void add(Operation *op);
  int64_t count() const { return int64_t(records.size()) + (hasNumber ? 1 : 0); }

private:
  void addExpression(Value constant);

  llvm::SmallPtrSet<Operation *, 16> records;
  bool hasNumber = false;
};

int64_t countWeightConstants(llvm::ArrayRef<Block *> bodies);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_WEIGHTCONSTANTS_H
