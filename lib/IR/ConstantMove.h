//===- ConstantMove.h - ops that move constant elements --------*- C++ -*-===//
#ifndef ANE_LIB_IR_CONSTANTMOVE_H
#define ANE_LIB_IR_CONSTANTMOVE_H

#include "ane/IR/ConstantEval.h"

namespace mlir::ane {

/// The operand whose elements `op` only moves; null for other ops.
Value movedOperand(Operation *op);

/// Whether an op that moves elements keeps all of them in their order.
bool keepsOrder(Operation *op);

/// The elements of an op that moves them, from those of its operand, both up to their shapes; nothing where strides
/// can't say it.
std::optional<StridedView> viewThrough(Operation *op, const StridedView &operand);

/// Copies the elements that `view` sees, in row-major order, from `in` to `out`. Elements have 1, 2, 4 or 8 bytes and
/// need not be aligned.
void gather(const StridedView &view, unsigned elementBytes, const char *in, char *out);

/// Whether `gather` is a matrix transposition in its last two dimensions, which reads whole lines of memory if it may
/// write many rows at once.
bool transposes(const StridedView &view);

} // namespace mlir::ane

#endif // ANE_LIB_IR_CONSTANTMOVE_H
