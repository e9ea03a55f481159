//===- ConstantExpr.h - values computed from constants alone ---*- C++ -*-===//
//
// A transpose, cast or slice of a weight stays an op on `ane.const` until the bundle is written. Passes that ask "is
// this operand a weight?" therefore ask for constant expressions.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_CONSTANTEXPR_H
#define ANE_IR_CONSTANTEXPR_H

#include "ane/IR/ANE.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ane {

/// Constants of fewer elements stand in the text of a program, others in its weight file, where a bool can't stand.
/// coremltools and Apple's own tools draw the line here (coreml-mlprogram.md 1.4).
constexpr int64_t inlineElements = 10;

/// Levels of ops in a constant expression from which on its lower part is a blob of its own. Legalisers add as many.
constexpr int mostConstantLevels = 16;

/// True if `value` is computed from `ane.const` alone by pure ops of the dialect that can be evaluated.
bool isConstantExpr(Value value);

/// True for an op that has results, all of which are constant expressions.
bool isConstantExpr(Operation *op);

/// Whether an op of a constant expression only moves or converts elements of a weight, or is one.
bool movesWeight(Operation *op);

/// Verifies that the region of `op` yields one constant expression of `type`.
LogicalResult verifyConstantRegion(Operation *op, Region &region, Type type);

/// Clones the ops that compute the constant expression `value` before the builder's insertion point, reusing what
/// `mapping` already has.
Value cloneConstantExpr(OpBuilder &builder, Value value, IRMapping &mapping);

/// The constant expression `value` as the region of a blob, which is made before the builder's insertion point and has
/// no record of a file yet. Blobs may stand in each other.
BlobOp outlineConstantExpr(OpBuilder &builder, Value value);

/// The values that cross the border of a group of ops: what it reads from outside, constants aside, and what of its
/// results others read. Both in the order of the group.
struct GroupBorder {
  SmallVector<Value> inputs, results;
};
GroupBorder borderOf(ArrayRef<Operation *> ops);

/// The value of a constant whose elements are all equal, or nothing. Looks through casts and reshapes.
std::optional<double> getSplat(Value value);

/// A constant of `type` with all elements `splat`.
Value createSplat(OpBuilder &builder, Location loc, RankedTensorType type, double splat);

} // namespace mlir::ane

#endif // ANE_IR_CONSTANTEXPR_H
