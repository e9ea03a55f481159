//===- Access.cpp - strided views of tensors ------------------------------===//

#include "Access.h"
#include "OpView.h"
#include "Rewrites.h"
#include "ane/Host/HostDialect.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

SmallVector<int64_t> host::denseStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (int64_t d = static_cast<int64_t>(shape.size()) - 2; d >= 0; --d)
    strides[d] = strides[d + 1] * shape[d + 1];
  return strides;
}

Value host::outer(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast_if_present<KernelOp>(argument.getOwner()->getParentOp());
    if (!kernel)
      break;
    value = kernel.getInputs()[argument.getArgNumber()];
  }
  return value;
}

SmallVector<int64_t> host::memoryOrder(Value value) {
  value = outer(value);
  Operation *op = value.getDefiningOp();
  if (auto kernel = dyn_cast_if_present<KernelOp>(op))
    return memoryOrder(kernel.getWritten()[cast<OpResult>(value).getResultNumber()]);
  if (auto order = op ? op->getAttrOfType<DenseI64ArrayAttr>(orderMark) : DenseI64ArrayAttr())
    return SmallVector<int64_t>(order.asArrayRef());
  return llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(value).size()));
}

SmallVector<int64_t> host::memoryStrides(Value value) {
  ArrayRef<int64_t> shape = shapeOf(value);
  SmallVector<int64_t> order = memoryOrder(value), strides(shape.size());
  int64_t stride = 1;
  for (int64_t d : llvm::reverse(order)) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

Access Access::dense(Value value) {
  Access access;
  access.root = value;
  access.shape = llvm::to_vector(shapeOf(value));
  access.strides = memoryStrides(value);
  return access;
}

int64_t Access::numElements() const { return host::numElements(shape); }

bool Access::isDense() const {
  if (offset != 0 || numElements() != host::numElements(shapeOf(root)))
    return false;
  SmallVector<int64_t> expected = denseStrides(shape);
  for (auto [dim, stride, want] : llvm::zip_equal(shape, strides, expected))
    if (dim != 1 && stride != want)
      return false;
  return true;
}

Access Access::transpose(ArrayRef<int64_t> perm) const {
  Access result{root, {}, {}, offset};
  for (int64_t source : perm) {
    result.shape.push_back(shape[source]);
    result.strides.push_back(strides[source]);
  }
  return result;
}

Access Access::broadcast(ArrayRef<int64_t> newShape) const {
  Access result{root, llvm::to_vector(newShape), SmallVector<int64_t>(newShape.size(), 0), offset};
  size_t lead = newShape.size() - shape.size();
  for (size_t d = 0; d < shape.size(); ++d)
    if (shape[d] != 1)
      result.strides[lead + d] = strides[d];
  return result;
}

FailureOr<Access> Access::reshape(ArrayRef<int64_t> newShape) const {
  Access result{root, llvm::to_vector(newShape), SmallVector<int64_t>(newShape.size(), 0), offset};
  if (host::numElements(newShape) != numElements())
    return failure();
  // Walk both shapes from the left; groups of dimensions with equal element counts correspond. Within a group the old
  // dimensions must be one dimension, which the new ones split.
  size_t oldDim = 0, newDim = 0;
  while (oldDim < shape.size() || newDim < newShape.size()) {
    if (oldDim < shape.size() && shape[oldDim] == 1) {
      ++oldDim;
      continue;
    }
    if (newDim < newShape.size() && newShape[newDim] == 1) {
      ++newDim;
      continue;
    }
    if (oldDim == shape.size() || newDim == newShape.size())
      return failure();
    size_t oldEnd = oldDim + 1, newEnd = newDim + 1;
    int64_t oldCount = shape[oldDim], newCount = newShape[newDim];
    while (oldCount != newCount) {
      if (oldCount < newCount)
        oldCount *= shape[oldEnd++];
      else
        newCount *= newShape[newEnd++];
    }
    int64_t inner = 0;
    std::optional<int64_t> expected; // strides may be negative
    for (size_t d = oldEnd; d-- > oldDim;) {
      if (shape[d] == 1)
        continue;
      if (!expected)
        inner = strides[d];
      else if (strides[d] != *expected)
        return failure();
      expected = strides[d] * shape[d];
    }
    for (size_t d = newEnd; d-- > newDim;) {
      result.strides[d] = inner;
      inner *= newShape[d];
    }
    oldDim = oldEnd;
    newDim = newEnd;
  }
  return result;
}

void host::collapse(SmallVectorImpl<int64_t> &shape, MutableArrayRef<SmallVector<int64_t>> strides) {
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

//===-- view ops ----------------------------------------------------------===//

/// Applies the view op to an access of its first operand.
static FailureOr<Access> applyView(Operation *op, const Access &x, unsigned resultNumber) {
  OpView view(op);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(resultNumber));
  StringRef name = view.name();
  if (name == "identity")
    return x;
  if (name == "transpose")
    return x.transpose(view.axes("perm", x.shape.size()));
  if (name == "reshape" || name == "expand_dims" || name == "squeeze" || name == "flatten2d" || name == "reshape_like")
    return x.reshape(shape);
  if (name == "fill") {
    // A scalar may have one dimension.
    Access scalar{x.root, {}, {}, x.offset};
    return scalar.broadcast(shape);
  }
  if (name == "tile") {
    // A dimension of size 1 is repeated by stride 0; anything else needs a copy.
    for (auto [from, to] : llvm::zip_equal(x.shape, shape))
      if (from != to && from != 1)
        return failure();
    return x.broadcast(shape);
  }
  auto slice = [&](ArrayRef<SliceRange> ranges) {
    Access result{x.root, {}, {}, x.offset};
    for (auto [d, range] : llvm::enumerate(ranges)) {
      result.offset += range.begin * x.strides[d];
      if (range.drop)
        continue;
      result.shape.push_back(range.size);
      result.strides.push_back(range.stride * x.strides[d]);
    }
    return result;
  };
  if (auto byIndex = dyn_cast<SliceByIndexOp>(op))
    return slice(byIndex.getRanges());
  if (auto bySize = dyn_cast<SliceBySizeOp>(op))
    return slice(bySize.getRanges());
  if (name == "sliding_windows") {
    int64_t axis = view.axis("axis", x.shape.size());
    Access result = x;
    result.shape = llvm::to_vector(shape);
    result.strides.insert(result.strides.begin() + axis + 1, x.strides[axis]);
    result.strides[axis] *= view.integer("stride", 1);
    return result;
  }
  if (name == "split") {
    int64_t axis = view.axis("axis", x.shape.size()), first = 0;
    for (unsigned i = 0; i < resultNumber; ++i)
      first += shapeOf(op->getResult(i))[axis];
    Access result = x;
    result.shape = llvm::to_vector(shape);
    result.offset += first * x.strides[axis];
    return result;
  }
  if (name == "reverse") {
    Access result = x;
    for (int64_t axis : view.axes("axes", x.shape.size(), /*all=*/true)) {
      result.offset += (x.shape[axis] - 1) * x.strides[axis];
      result.strides[axis] = -x.strides[axis];
    }
    return result;
  }
  return failure();
}

bool host::isView(Operation *op) {
  static const llvm::StringSet<> names{"identity",  "transpose",     "reshape",        "expand_dims",    "squeeze",
                                       "flatten2d", "fill",          "slice_by_index", "split",          "tile",
                                       "reverse",   "slice_by_size", "reshape_like",   "sliding_windows"};
  if (!op || !OpView(op).isAne() || !names.contains(OpView(op).name()) || isCopy(op))
    return false;
  // A tile that needs a copy is computed, not viewed.
  return OpView(op).name() != "tile" || succeeded(applyView(op, Access::dense(op->getOperand(0)), 0));
}

bool host::isStrided(Operation *view) { return succeeded(applyView(view, trace(view->getOperand(0)), 0)); }

Access host::trace(Value value) {
  value = outer(value);
  Operation *op = value.getDefiningOp();
  if (!isView(op))
    return Access::dense(value);
  Value operand = outer(op->getOperand(0));
  unsigned number = cast<OpResult>(value).getResultNumber();
  FailureOr<Access> result = applyView(op, trace(operand), number);
  if (succeeded(result))
    return *result;
  // The operand itself is materialised, row-major: every view of that can be expressed. (Where the operand is computed
  // in another order, the pass for layouts has put a copy between.)
  result = applyView(op, Access::dense(operand), number);
  assert(succeeded(result) && "a view of a dense tensor has strides");
  return *result;
}
