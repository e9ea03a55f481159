//===- ConstantSweep.cpp - constants along an axis ------------------------===//

#include "ConstantSweep.h"
#include "ConstantRows.h"
#include "ane/IR/ANE.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

bool mlir::ane::canSweep(Operation *op) {
  if (!isa<CumsumOp, ReduceArgmaxOp, ReduceArgminOp>(op))
    return false;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  bool isFloat = isa<FloatType>(type.getElementType());
  return type.getNumElements() != 0 && (isFloat || (!isa<CumsumOp>(op) && type.getElementTypeBitWidth() <= 32));
}

/// The first NaN is the extreme of both kinds, as CPU kernels have it.
static double indexOfExtreme(ArrayRef<double> row, bool isLargest) {
  return std::max_element(row.begin(), row.end(),
                          [=](double best, double x) {
                            return !std::isnan(best) && (std::isnan(x) || (isLargest ? best < x : x < best));
                          }) -
         row.begin();
}

static void sumUp(MutableArrayRef<double> row, bool exclusive, bool reverse) {
  if (reverse)
    std::reverse(row.begin(), row.end());
  double total = 0;
  for (double &x : row) {
    double before = total;
    total += x;
    x = exclusive ? before : total;
  }
  if (reverse)
    std::reverse(row.begin(), row.end());
}

ConstantBuffer mlir::ane::sweep(Operation *op, const ConstantBuffer &in) {
  RankedTensorType type = unrounded(cast<RankedTensorType>(op->getResult(0).getType()));
  ConstantBuffer out = ConstantBuffer::allocate(type);
  ArrayRef<int64_t> shape = in.getType().getShape();
  int64_t axis = llvm::TypeSwitch<Operation *, int64_t>(op).Case<CumsumOp, ReduceArgmaxOp, ReduceArgminOp>(
      [](auto op) { return op.getAxisFromFront(); });
  int64_t size = shape[axis], step = 1;
  for (int64_t extent : shape.drop_front(axis + 1))
    step *= extent;
  std::vector<double> row(size);
  for (int64_t line = 0, lines = in.getType().getNumElements() / size; line < lines; ++line) {
    int64_t first = line / step * step * size + line % step;
    loadRow(in.bytes().data(), in.getType().getElementType(), first, step, row);
    auto sum = dyn_cast<CumsumOp>(op);
    if (!sum) {
      storeRow(out.mutableBytes().data(), type.getElementType(), line, indexOfExtreme(row, isa<ReduceArgmaxOp>(op)));
      continue;
    }
    sumUp(row, sum.getExclusive(), sum.getReverse());
    for (int64_t i = 0; i < size; ++i)
      storeRow(out.mutableBytes().data(), type.getElementType(), first + i * step, row[i]);
  }
  return out;
}
