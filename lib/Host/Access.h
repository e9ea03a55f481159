//===- Access.h - strided views of tensors ---------------------*- C++ -*-===//
//
// A transpose, slice, reshape or broadcast moves no data: its users read the tensor below it through an `Access`. Only
// where a view can't be expressed by strides, or a function returns it, is it copied.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_ACCESS_H
#define ANE_LIB_HOST_ACCESS_H

#include "ane/IR/ANE.h"

namespace mlir::ane::host {

/// A view of the memory of `root`.
struct Access : StridedView {
  Value root;

  Access() = default;
  Access(Value root, StridedView view) : StridedView(std::move(view)), root(root) {}

  /// The whole of `value`, as it lies in memory.
  static Access dense(Value value);
  /// Whether the view is `root` element for element, row-major.
  bool isDense() const;
};

/// Attribute of an op: the dimensions of its result in the order of memory, outermost first. Without it values are
/// row-major. Convolutions and what follows them keep channels last this way (HostLayout.cpp); shapes stay the op's
/// own.
inline constexpr StringLiteral orderMark = "host.order";

/// Whether `op` is a constant, whose bytes kernels read from the weight file.
inline bool isWeight(Operation *op) { return isa_and_nonnull<ConstOp, BlobOp>(op); }

/// Whether `op` only selects or rearranges elements of its first operand, so that `trace` looks through it.
bool isView(Operation *op);

/// What `value` stands for outside of a kernel whose argument it is.
Value outer(Value value);

/// The view that `value` is of the tensor below all view ops; where one of them can't be expressed by strides, of the
/// operand of that op.
Access trace(Value value);

/// The dimensions of `value`, row-major or as orderMark of the op that computes it says, outermost first.
SmallVector<int64_t> memoryOrder(Value value);
/// Strides of `value` in memory.
SmallVector<int64_t> memoryStrides(Value value);

/// Whether the view that op `view` is of its operand can be expressed by strides.
bool isStrided(Operation *view);

inline ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
inline Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_ACCESS_H
