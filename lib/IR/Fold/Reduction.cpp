//===- Reduction.cpp - folding of reductions and running sums -------------===//

#include "../ElementMeaning.h"
#include "Data.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::fold;

/// Reduces integers only: the order of a floating-point sum is the target's choice.
template <typename OpTy>
static void addReduction(RuleTable &table) {
  table.add<OpTy>([](OpTy op, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
    auto shape = op.getX().getType().getShape();
    if (in[0].isFloat() || op.getX().getType().getNumElements() == 0)
      return std::nullopt;
    auto *combine = reductionOf(op)->integers;
    Type element = type.getElementType();
    bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
    SmallVector<int64_t> kept(shape);
    for (int64_t axis : op.getReducedAxes())
      kept[axis] = 1;
    StridedView x = in[0].broadcast(shape), total = *StridedView::dense(kept).broadcast(shape);
    Data result{type, std::vector<int64_t>(type.getNumElements()), {}};
    std::vector<bool> seen(result.ints.size());
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      int64_t to = total.at(index), value = in[0].ints[x.at(index)];
      result.ints[to] = integerOf(seen[to] ? combine(result.ints[to], value, isUnsigned) : value, element);
      seen[to] = true;
    });
    return result;
  });
}

static MaybeData cumsum(CumsumOp op, const Data &x, RankedTensorType type) {
  if (x.isFloat())
    return std::nullopt;
  int64_t axis = op.getAxisFromFront(), size = type.getDimSize(axis);
  StridedView to = StridedView::dense(type.getShape()), from = x.broadcast(type.getShape());
  Data result{type, std::vector<int64_t>(type.getNumElements()), {}};
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    // One running sum from each first element along the axis, modulo 2^64.
    if (index[axis] != 0)
      return;
    uint64_t sum = 0;
    for (int64_t i = 0; i < size; ++i) {
      SmallVector<int64_t> at(index);
      at[axis] = op.getReverse() ? size - 1 - i : i;
      uint64_t next = sum + uint64_t(x.ints[from.at(at)]);
      result.ints[to.at(at)] = integerOf(int64_t(op.getExclusive() ? sum : next), type.getElementType());
      sum = next;
    }
  });
  return result;
}

void fold::addReductionRules(RuleTable &table) {
  addReduction<ReduceSumOp>(table);
  addReduction<ReduceProdOp>(table);
  addReduction<ReduceMaxOp>(table);
  addReduction<ReduceMinOp>(table);
  table.add<CumsumOp>([](CumsumOp op, ArrayRef<Data> in, RankedTensorType type) { return cumsum(op, in[0], type); });
}
