//===- RegionHash.h - a hash of what a region computes ---------*- C++ -*-===//
#ifndef ANE_SUPPORT_REGIONHASH_H
#define ANE_SUPPORT_REGIONHASH_H

#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Region.h"

namespace mlir::ane {

/// Equal for regions that OperationEquivalence::isRegionEquivalentTo takes for equal without their locations. The
/// order of operands has no part in it: regions of one hash must still be compared.
inline size_t hashRegion(Region &region) {
  llvm::hash_code hash(0);
  region.walk([&](Operation *op) {
    hash = llvm::hash_combine(hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::ignoreHashValue,
                                                                      OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

} // namespace mlir::ane

#endif // ANE_SUPPORT_REGIONHASH_H
