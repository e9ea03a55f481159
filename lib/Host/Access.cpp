//===- Access.cpp - strided views of tensors ------------------------------===//

#include "Access.h"
#include "OpView.h"
#include "Rewrites.h"
#include "ane/Host/HostDialect.h"
#include "llvm/ADT/TypeSwitch.h"

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

static int64_t fromFront(int64_t axis, const Access &x) {
  return axis < 0 ? axis + static_cast<int64_t>(x.shape.size()) : axis;
}

static Access sliced(const Access &x, ArrayRef<SliceRange> ranges) {
  Access result{x.root, {}, {}, x.offset};
  for (auto [d, range] : llvm::enumerate(ranges)) {
    result.offset += range.begin * x.strides[d];
    if (range.drop)
      continue;
    result.shape.push_back(range.size);
    result.strides.push_back(range.stride * x.strides[d]);
  }
  return result;
}

/// Part `number` of a split.
static Access part(SplitOp op, const Access &x, unsigned number) {
  int64_t axis = fromFront(op.getAxis(), x), first = 0;
  for (unsigned i = 0; i < number; ++i)
    first += shapeOf(op->getResult(i))[axis];
  Access result = x;
  result.shape = llvm::to_vector(shapeOf(op->getResult(number)));
  result.offset += first * x.strides[axis];
  return result;
}

static Access windows(SlidingWindowsOp op, const Access &x) {
  int64_t axis = fromFront(op.getAxis(), x);
  Access result = x;
  result.shape = llvm::to_vector(op.getType().getShape());
  result.strides.insert(result.strides.begin() + axis + 1, x.strides[axis]);
  result.strides[axis] *= op.getStride();
  return result;
}

static Access reversed(ReverseOp op, const Access &x) {
  Access result = x;
  SmallVector<int64_t> axes(op.getAxes().value_or(ArrayRef<int64_t>()));
  if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(0, x.shape.size()));
  for (int64_t axis : axes) {
    axis = fromFront(axis, x);
    result.offset += (x.shape[axis] - 1) * x.strides[axis];
    result.strides[axis] = -x.strides[axis];
  }
  return result;
}

/// A dimension of size 1 is repeated by stride 0; anything else needs a copy.
static FailureOr<Access> repeated(const Access &x, ArrayRef<int64_t> shape) {
  for (auto [from, to] : llvm::zip_equal(x.shape, shape))
    if (from != to && from != 1)
      return failure();
  return x.broadcast(shape);
}

/// Applies the view op to an access of its first operand.
static FailureOr<Access> applyView(Operation *op, const Access &x, unsigned resultNumber) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(resultNumber));
  using Result = FailureOr<Access>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<IdentityOp>([&](auto) { return x; })
      .Case<TransposeOp>([&](auto) { return x.transpose(OpView(op).axes("perm", x.shape.size())); })
      .Case<ReshapeOp, ExpandDimsOp, SqueezeOp, Flatten2dOp, ReshapeLikeOp>([&](auto) { return x.reshape(shape); })
      // A scalar may have one dimension.
      .Case<FillOp>([&](auto) { return Access{x.root, {}, {}, x.offset}.broadcast(shape); })
      .Case<TileOp>([&](auto) { return repeated(x, shape); })
      .Case<SliceByIndexOp, SliceBySizeOp>([&](auto slice) { return sliced(x, slice.getRanges()); })
      .Case<SlidingWindowsOp>([&](auto typed) { return windows(typed, x); })
      .Case<SplitOp>([&](auto split) { return part(split, x, resultNumber); })
      .Case<ReverseOp>([&](auto reverse) { return reversed(reverse, x); })
      .Default([](Operation *) { return Result(failure()); });
}

bool host::isView(Operation *op) {
  if (!isa_and_nonnull<IdentityOp, TransposeOp, ReshapeOp, ExpandDimsOp, SqueezeOp, Flatten2dOp, ReshapeLikeOp, FillOp,
                       TileOp, SliceByIndexOp, SliceBySizeOp, SlidingWindowsOp, SplitOp, ReverseOp>(op) ||
      isCopy(op))
    return false;
  // A tile that needs a copy is computed, not viewed.
  return !isa<TileOp>(op) || succeeded(applyView(op, Access::dense(op->getOperand(0)), 0));
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
