//===- Rebuild.h - rebuilding ops on other operands ------------*- C++ -*-===//
#ifndef ANE_IR_REBUILD_H
#define ANE_IR_REBUILD_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// A copy of `op` on `operands`, with the attributes of `changed` in place of its own, whose result types are inferred
/// anew. Returns null, having built nothing, if they can't be.
Operation *rebuild(OpBuilder &builder, Operation *op, ValueRange operands, ArrayRef<NamedAttribute> changed = {});

} // namespace mlir::ane

#endif // ANE_IR_REBUILD_H
