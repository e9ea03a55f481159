//===- ShapeAlgebra.h - axes, shapes and strided views ---------*- C++ -*-===//
//
// What ops do to shapes, once: type inference, folding, evaluation of constants, the importers and CPU code all ask
// here. Windows of convolutions and pools are Window.h, chains of reshapes and transposes Relayout.h.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_SHAPEALGEBRA_H
#define ANE_IR_SHAPEALGEBRA_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Location.h"
#include <optional>

namespace mlir::ane {

using OptionalLoc = std::optional<Location>;

//===-- axes --------------------------------------------------------------===//

/// `axis` counted from the front; nothing if a tensor of `rank` has no such axis.
std::optional<int64_t> axisFromFront(int64_t axis, int64_t rank);

/// The same; the error names the axis, the argument and the range.
FailureOr<int64_t> normalizeAxis(OptionalLoc loc, int64_t axis, int64_t rank, StringRef argument = "axis");

/// `axes` counted from the front, in the given order; all of them if not given. Repeated axes are errors.
FailureOr<SmallVector<int64_t>> normalizeAxes(OptionalLoc loc, std::optional<ArrayRef<int64_t>> axes, int64_t rank,
                                              StringRef argument = "axes");

/// The part of an axis that a slice takes: `size` indices from `begin` in steps of `stride`; `drop` if the axis
/// vanishes.
struct SliceRange {
  int64_t begin, size, stride = 1;
  bool drop = false;
};

/// A bound of a slice of an axis of `size`, as Python reads it: negative ones count from the end, and all are clamped
/// to where steps of the sign of `stride` can begin or end.
int64_t clampBound(int64_t bound, int64_t stride, int64_t size);

//===-- shapes ------------------------------------------------------------===//

/// Sums and products that stay at the largest int64 instead of overflowing: sizes come from files.
int64_t saturatingAdd(int64_t a, int64_t b);
int64_t saturatingMul(int64_t a, int64_t b);

/// Tensors of more elements are errors, so that sizes can be computed with afterwards.
constexpr int64_t maxElements = int64_t(1) << 40;

/// The product of the sizes, saturated.
int64_t numElements(ArrayRef<int64_t> shape);

/// The steps between neighbours along each axis of a row-major tensor.
SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape);

/// `shape` with its entry -1, of which there may be one, such that it holds `elements`; nothing if it can't.
std::optional<SmallVector<int64_t>> resolveReshape(ArrayRef<int64_t> shape, int64_t elements);

/// The matrix that has the axes before `axis` as rows and the others as columns.
SmallVector<int64_t> flattenedAt(ArrayRef<int64_t> shape, int64_t axis);

/// The NumPy broadcast of `a` and `b`; an error names both shapes and the first axis (from the right) that disagrees.
FailureOr<SmallVector<int64_t>> broadcastShapes(OptionalLoc loc, ArrayRef<int64_t> a, ArrayRef<int64_t> b);

/// `order[i]` is where entry i of the result comes from.
SmallVector<int64_t> permuted(ArrayRef<int64_t> entries, ArrayRef<int64_t> order);

//===-- views -------------------------------------------------------------===//

/// A view of a tensor: its element (i, j, ...) is element `base + i * strides[0] + j * strides[1] + ...` of the tensor.
struct StridedView {
  int64_t base = 0;
  SmallVector<int64_t> shape, strides;

  /// The whole of a row-major tensor.
  static StridedView dense(ArrayRef<int64_t> shape);

  int64_t numElements() const { return ane::numElements(shape); }
  /// The tensor's element that the view has at `index`.
  int64_t at(ArrayRef<int64_t> index) const;
  /// The tensor's element that the view has at place `linear`, row-major.
  int64_t at(int64_t linear) const;

  /// The same elements in the same row-major order as another shape; nothing where strides can't say it, or the number
  /// of elements differs.
  std::optional<StridedView> reshape(ArrayRef<int64_t> shape) const;
  StridedView transpose(ArrayRef<int64_t> perm) const;
  /// With the order along `axes` turned round.
  StridedView reverse(ArrayRef<int64_t> axes) const;
  /// `ranges` has one entry for each axis.
  StridedView slice(ArrayRef<SliceRange> ranges) const;
  /// All windows of `size` elements along `axis`, as a new axis after it.
  StridedView windows(int64_t axis, int64_t size, int64_t stride) const;
  /// NumPy broadcasting; nothing where an axis of more than one element would have to repeat.
  std::optional<StridedView> broadcast(ArrayRef<int64_t> shape) const;
  /// The same elements in the same order with the fewest axes.
  StridedView collapsed() const;
};

/// Merges neighbouring dimensions of `shape` that are one dimension in each of `strides`, and drops those of size 1.
/// At least one dimension stays.
void collapse(SmallVectorImpl<int64_t> &shape, MutableArrayRef<SmallVector<int64_t>> strides);

} // namespace mlir::ane

#endif // ANE_IR_SHAPEALGEBRA_H
