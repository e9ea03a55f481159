//===- ShapeUtils.h - shape inference helpers ------------------*- C++ -*-===//
#ifndef ANE_IR_SHAPEUTILS_H
#define ANE_IR_SHAPEUTILS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"

namespace mlir::ane {

/// The NumPy broadcast of `a` and `b`; an error names both shapes and the first axis (from the right) that disagrees.
FailureOr<SmallVector<int64_t>> broadcastShapes(std::optional<Location> loc, ArrayRef<int64_t> a, ArrayRef<int64_t> b);

} // namespace mlir::ane

#endif // ANE_IR_SHAPEUTILS_H
