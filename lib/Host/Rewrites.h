//===- Rewrites.h - ops written with ops that have kernels -----*- C++ -*-===//
#ifndef ANE_LIB_HOST_REWRITES_H
#define ANE_LIB_HOST_REWRITES_H

#include "ane/IR/ANE.h"

namespace mlir::ane::host {

/// Attribute of an identity that is a copy, not a view.
inline constexpr StringLiteral copyMark = "host.copy";

/// Whether `op` is such a copy.
inline bool isCopy(Operation *op) { return op && op->hasAttr(copyMark); }

/// Builds an ane op by name. Types are not inferred.
Operation *createOp(OpBuilder &b, Location loc, StringRef name, ValueRange operands, Type type,
                    ArrayRef<NamedAttribute> attributes = {});

/// The part of it for parameters per channel, quantisation and blocks of images.
bool rewriteChannelOp(Operation *op);

/// The part of it for images in another size.
bool rewriteResize(Operation *op);

/// The part of it for recurrent networks.
bool rewriteRecurrent(Operation *op);

/// Replaces `op` by ops that have kernels, if it is one of those that are best written so.
bool rewriteForKernels(Operation *op);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_REWRITES_H
