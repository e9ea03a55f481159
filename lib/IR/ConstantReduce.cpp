//===- ConstantReduce.cpp - reductions of constants -----------------------===//

#include "ConstantReduce.h"
#include "ConstantRows.h"
#include "ElementMeaning.h"
#include "ane/IR/ANE.h"

using namespace mlir;
using namespace mlir::ane;

bool mlir::ane::canReduce(Operation *op) {
  if (!reductionOf(op))
    return false;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return isa<FloatType>(type.getElementType()) && type.getNumElements() != 0;
}

ConstantBuffer mlir::ane::reduce(Operation *op, const ConstantBuffer &in) {
  const ReductionMeaning &reduction = *reductionOf(op);
  ArrayRef<int64_t> shape = in.getType().getShape();
  int64_t rank = shape.size(), inner = rank == 0 ? 1 : shape.back(), count = in.getType().getNumElements();
  // Of each axis, the step in the result.
  SmallVector<int64_t> kept(shape);
  for (int64_t axis : cast<ReductionOpInterface>(op).getReducedAxes())
    kept[axis] = 1;
  SmallVector<int64_t> strides = StridedView::dense(kept).broadcast(shape)->strides;
  RankedTensorType type = unrounded(cast<RankedTensorType>(op->getResult(0).getType()));
  ConstantBuffer out = ConstantBuffer::allocate(type);
  std::vector<double> totals(type.getNumElements(), reduction.start), row(inner);
  SmallVector<int64_t> index(rank, 0);
  for (int64_t first = 0; first < count; first += inner) {
    loadRow(in.bytes().data(), in.getType().getElementType(), first, 1, row);
    int64_t to = 0;
    for (int64_t axis = 0; axis + 1 < rank; ++axis)
      to += index[axis] * strides[axis];
    for (int64_t i = 0, step = rank == 0 ? 0 : strides.back(); i < inner; ++i)
      totals[to + i * step] = reduction.step(totals[to + i * step], row[i]);
    for (int64_t axis = rank - 2; axis >= 0 && ++index[axis] == shape[axis]; --axis)
      index[axis] = 0;
  }
  double each = double(count) / double(totals.size());
  for (double &total : totals)
    total = reduction.finish(total, each);
  storeRow(out.mutableBytes().data(), type.getElementType(), 0, totals);
  return out;
}
