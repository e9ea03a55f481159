//===- Access.cpp - strided views of tensors ------------------------------===//

#include "Access.h"
#include "Rewrites.h"
#include "ane/Host/HostDialect.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

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

Access Access::dense(Value value) { return {value, {0, llvm::to_vector(shapeOf(value)), memoryStrides(value)}}; }

bool Access::isDense() const {
  if (base != 0 || numElements() != ane::numElements(shapeOf(root)))
    return false;
  for (auto [dim, stride, want] : llvm::zip_equal(shape, strides, rowMajorStrides(shape)))
    if (dim != 1 && stride != want)
      return false;
  return true;
}

//===-- view ops ----------------------------------------------------------===//

/// Result `number` of view op `op` by a view of its operand.
static std::optional<StridedView> viewed(Operation *op, const StridedView &operand, unsigned number) {
  return isWidening(op) ? operand : cast<StridedViewOpInterface>(op).viewResult(operand, number);
}

bool host::isView(Operation *op) {
  if (isWidening(op))
    return true;
  if (!isa_and_nonnull<StridedViewOpInterface>(op) || isCopy(op))
    return false;
  // A tile that needs a copy is computed, not viewed.
  return !isa<TileOp>(op) || viewed(op, StridedView::dense(shapeOf(op->getOperand(0))), 0);
}

bool host::isStrided(Operation *view) { return viewed(view, trace(view->getOperand(0)), 0).has_value(); }

Access host::trace(Value value) {
  value = outer(value);
  Operation *op = value.getDefiningOp();
  if (!isView(op))
    return Access::dense(value);
  Value operand = outer(op->getOperand(0));
  unsigned number = cast<OpResult>(value).getResultNumber();
  Access access = trace(operand);
  if (std::optional<StridedView> view = viewed(op, access, number))
    return {access.root, *view};
  // The operand itself is materialised, row-major: every view of that can be expressed. (Where the operand is computed
  // in another order, the pass for layouts has put a copy between.)
  return {operand, *viewed(op, Access::dense(operand), number)};
}
