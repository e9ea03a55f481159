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

/// Element (i0, i1, ..) of a view of shape `shape` is element offset + sum(i[d] * strides[d]) of the dense `root`.
struct Access {
  Value root;
  SmallVector<int64_t> shape, strides;
  int64_t offset = 0;

  /// The whole of `value`, as it lies in memory.
  static Access dense(Value value);
  /// Whether the view is `root` element for element, row-major.
  bool isDense() const;
  int64_t numElements() const;

  /// The same elements in the same row-major order as another shape; fails where strides can't say it.
  FailureOr<Access> reshape(ArrayRef<int64_t> newShape) const;
  Access transpose(ArrayRef<int64_t> perm) const;
  /// NumPy broadcasting to `newShape`.
  Access broadcast(ArrayRef<int64_t> newShape) const;
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

/// Row-major strides of `shape`.
SmallVector<int64_t> denseStrides(ArrayRef<int64_t> shape);

/// The dimensions of `value`, row-major or as orderMark of the op that computes it says, outermost first.
SmallVector<int64_t> memoryOrder(Value value);
/// Strides of `value` in memory.
SmallVector<int64_t> memoryStrides(Value value);

/// Whether the view that op `view` is of its operand can be expressed by strides.
bool isStrided(Operation *view);

/// Merges neighbouring dimensions of `shape` that are one dimension in each of `strides`, and drops those of size 1.
/// At least one dimension stays.
void collapse(SmallVectorImpl<int64_t> &shape, MutableArrayRef<SmallVector<int64_t>> strides);

inline ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
inline Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }
inline int64_t numElements(ArrayRef<int64_t> shape) {
  int64_t n = 1;
  for (int64_t dim : shape)
    n *= dim;
  return n;
}

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_ACCESS_H
