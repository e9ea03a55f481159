//===- Generic.h - ops lowered through linalg ------------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_GENERIC_H
#define ANE_LIB_HOST_GENERIC_H

#include "ane/IR/ANE.h"

namespace mlir::ane::host {

/// Whether a kernel of one op through linalg exists for `op`.
bool hasGenericLowering(Operation *op);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_GENERIC_H
