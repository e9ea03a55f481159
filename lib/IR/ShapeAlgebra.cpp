//===- ShapeAlgebra.cpp - axes, shapes and strided views ------------------===//

#include "ane/IR/ShapeAlgebra.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ane;

//===-- axes --------------------------------------------------------------===//

std::optional<int64_t> mlir::ane::axisFromFront(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

FailureOr<int64_t> mlir::ane::normalizeAxis(OptionalLoc loc, int64_t axis, int64_t rank, StringRef argument) {
  if (std::optional<int64_t> known = axisFromFront(axis, rank))
    return *known;
  return emitOptionalError(loc, argument, " ", axis, " is out of range [", -rank, ", ", rank - 1, "] for rank ", rank);
}

FailureOr<SmallVector<int64_t>> mlir::ane::normalizeAxes(OptionalLoc loc, std::optional<ArrayRef<int64_t>> axes,
                                                         int64_t rank, StringRef argument) {
  SmallVector<int64_t> result;
  if (!axes)
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  for (int64_t axis : *axes) {
    FailureOr<int64_t> normal = normalizeAxis(loc, axis, rank, argument);
    if (failed(normal))
      return failure();
    if (llvm::is_contained(result, *normal))
      return emitOptionalError(loc, argument, " [", *axes, "] names axis ", *normal, " twice");
    result.push_back(*normal);
  }
  return result;
}

int64_t mlir::ane::clampBound(int64_t bound, int64_t stride, int64_t size) {
  int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  return std::clamp(bound < 0 ? bound + size : bound, low, std::max(low, high));
}

//===-- shapes ------------------------------------------------------------===//

int64_t mlir::ane::saturatingAdd(int64_t a, int64_t b) {
  return llvm::checkedAdd(a, b).value_or(b < 0 ? INT64_MIN : INT64_MAX);
}

int64_t mlir::ane::saturatingMul(int64_t a, int64_t b) {
  return llvm::checkedMul(a, b).value_or((a < 0) == (b < 0) ? INT64_MAX : INT64_MIN);
}

int64_t mlir::ane::numElements(ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), saturatingMul);
}

SmallVector<int64_t> mlir::ane::rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t i = int64_t(shape.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * shape[i + 1];
  return strides;
}

std::optional<SmallVector<int64_t>> mlir::ane::resolveReshape(ArrayRef<int64_t> shape, int64_t elements) {
  SmallVector<int64_t> result(shape);
  auto unknown = llvm::find(result, -1);
  if (unknown != result.end()) {
    *unknown = 1;
    int64_t known = numElements(result);
    *unknown = known == 0 ? -1 : elements / known;
  }
  bool holds = numElements(result) == elements && llvm::all_of(result, [](int64_t size) { return size >= 0; });
  return holds ? std::optional(result) : std::nullopt;
}

SmallVector<int64_t> mlir::ane::flattenedAt(ArrayRef<int64_t> shape, int64_t axis) {
  return {numElements(shape.take_front(axis)), numElements(shape.drop_front(axis))};
}

FailureOr<SmallVector<int64_t>> mlir::ane::broadcastShapes(OptionalLoc loc, ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> shape(std::max(a.size(), b.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return emitOptionalError(loc, "shapes [", a, "] and [", b, "] do not broadcast: axis ", -int64_t(i) - 1, " has ",
                               x, " and ", y);
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}

SmallVector<int64_t> mlir::ane::permuted(ArrayRef<int64_t> entries, ArrayRef<int64_t> order) {
  return llvm::map_to_vector(order, [&](int64_t from) { return entries[from]; });
}

//===-- views -------------------------------------------------------------===//

StridedView StridedView::dense(ArrayRef<int64_t> shape) { return {0, llvm::to_vector(shape), rowMajorStrides(shape)}; }

int64_t StridedView::at(ArrayRef<int64_t> index) const {
  return std::inner_product(index.begin(), index.end(), strides.begin(), base);
}

int64_t StridedView::at(int64_t linear) const {
  int64_t position = base;
  for (int64_t d = int64_t(shape.size()) - 1; d >= 0; linear /= shape[d--])
    position += linear % shape[d] * strides[d];
  return position;
}

std::optional<StridedView> StridedView::reshape(ArrayRef<int64_t> to) const {
  if (ane::numElements(to) != numElements())
    return std::nullopt;
  if (llvm::is_contained(to, 0))
    return dense(to);
  StridedView out{base, llvm::to_vector(to), SmallVector<int64_t>(to.size(), 0)};
  // From the innermost: `run` steps of `stride` are left of the dimensions that were joined; sizes of 1 have no stride.
  int64_t from = int64_t(shape.size()), run = 1, stride = 0;
  for (int64_t d = int64_t(to.size()) - 1; d >= 0; --d) {
    if (to[d] == 1)
      continue;
    while (run % to[d] != 0) {
      if (from == 0)
        return std::nullopt;
      if (shape[--from] == 1)
        continue;
      if (run == 1)
        stride = strides[from];
      else if (strides[from] != run * stride)
        return std::nullopt;
      run *= shape[from];
    }
    out.strides[d] = stride;
    stride *= to[d];
    run /= to[d];
  }
  return out;
}

StridedView StridedView::transpose(ArrayRef<int64_t> perm) const {
  return {base, permuted(shape, perm), permuted(strides, perm)};
}

StridedView StridedView::reverse(ArrayRef<int64_t> axes) const {
  StridedView out = *this;
  for (int64_t axis : axes) {
    out.base += (shape[axis] - 1) * strides[axis];
    out.strides[axis] = -strides[axis];
  }
  return out;
}

StridedView StridedView::slice(ArrayRef<SliceRange> ranges) const {
  StridedView out{base, {}, {}};
  for (auto [d, range] : llvm::enumerate(ranges)) {
    out.base += range.begin * strides[d];
    if (range.drop)
      continue;
    out.shape.push_back(range.size);
    out.strides.push_back(range.stride * strides[d]);
  }
  return out;
}

StridedView StridedView::windows(int64_t axis, int64_t size, int64_t stride) const {
  StridedView out = *this;
  out.shape[axis] = (shape[axis] - size) / stride + 1;
  out.strides[axis] *= stride;
  out.shape.insert(out.shape.begin() + axis + 1, size);
  out.strides.insert(out.strides.begin() + axis + 1, strides[axis]);
  return out;
}

std::optional<StridedView> StridedView::broadcast(ArrayRef<int64_t> to) const {
  if (to.size() < shape.size())
    return std::nullopt;
  StridedView out{base, llvm::to_vector(to), SmallVector<int64_t>(to.size(), 0)};
  size_t lead = to.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && shape[d] != to[lead + d])
      return std::nullopt;
    if (shape[d] != 1)
      out.strides[lead + d] = strides[d];
  }
  return out;
}

StridedView StridedView::collapsed() const {
  StridedView out = *this;
  collapse(out.shape, out.strides);
  return out;
}

void mlir::ane::collapse(SmallVectorImpl<int64_t> &shape, MutableArrayRef<SmallVector<int64_t>> strides) {
  auto erase = [&](size_t d) {
    shape.erase(shape.begin() + d);
    for (auto &s : strides)
      s.erase(s.begin() + d);
  };
  for (size_t d = shape.size(); d-- > 0 && shape.size() > 1;)
    if (shape[d] == 1)
      erase(d);
  for (size_t d = shape.size(); d-- > 1;) {
    bool merge = llvm::all_of(strides, [&](auto &s) { return s[d - 1] == s[d] * shape[d]; });
    if (!merge)
      continue;
    shape[d] *= shape[d - 1];
    erase(d - 1);
  }
}
