//===- RuntimeSlice.h - slices at positions known at run time --*- C++ -*-===//
//
// MIL's slices take computed indices; the dialect's take constants. A slice whose shape is declared and that begins at
// a computed position of one axis is a gather of neighbours there, an update of it a scatter.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_TARGET_MIL_RUNTIMESLICE_H
#define ANE_LIB_TARGET_MIL_RUNTIMESLICE_H

#include "Convert.h"

namespace mlir::ane::mil {

/// Where a slice begins. Strides are 1; where it ends follows from its shape.
struct RuntimeSlice {
  Value begin; ///< an index for each axis, in part computed; negative ones count from the end
  SmallVector<bool> fromStart,
      drops; ///< axes that begin at 0 whatever `begin` says, that the slice does not have; or empty
};

/// The slice of `x` with type `type`.
FailureOr<Value> buildSlice(OpBuilder &builder, Location loc, Value x, const RuntimeSlice &slice, RankedTensorType type,
                            EmitError emitError);

/// `x` with `update` in place of the slice of its shape.
FailureOr<Value> buildSliceUpdate(OpBuilder &builder, Location loc, Value x, Value update, const RuntimeSlice &slice,
                                  EmitError emitError);

} // namespace mlir::ane::mil

#endif // ANE_LIB_TARGET_MIL_RUNTIMESLICE_H
