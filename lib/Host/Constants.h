//===- Constants.h - what is computed from constants alone -----*- C++ -*-===//
#ifndef ANE_LIB_HOST_CONSTANTS_H
#define ANE_LIB_HOST_CONSTANTS_H

#include "ane/IR/ANE.h"

namespace mlir::ane::host {

/// Whether `op` is a constant, whose bytes kernels read from the weight file.
inline bool isWeight(Operation *op) { return isa_and_nonnull<ConstOp, BlobOp>(op); }

/// Makes constants of all constant expressions that kernels of `function` read, views aside: nothing constant is
/// computed at run time. Large ones become blobs, which are evaluated when the weight file is written.
LogicalResult outlineWeights(func::FuncOp function);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_CONSTANTS_H
