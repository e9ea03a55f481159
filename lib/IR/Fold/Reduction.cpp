//===- Reduction.cpp - folding of reductions and running sums -------------===//

#include "../ElementMeaning.h"
#include "Data.h"
#include "llvm/Support/CheckedArithmetic.h"

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
    SmallVector<int64_t> kept(shape);
    for (int64_t axis : op.getReducedAxes())
      kept[axis] = 1;
    StridedView x = in[0].broadcast(shape), total = *StridedView::dense(kept).broadcast(shape);
    std::vector<MaybeInt> totals(type.getNumElements());
    std::vector<bool> seen(totals.size());
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      int64_t to = total.at(index), value = in[0].ints[x.at(index)];
      if (!seen[to])
        totals[to] = value;
      else if (totals[to])
        totals[to] = combine(*totals[to], value);
      seen[to] = true;
    });
    Data result{type, {}, {}};
    for (MaybeInt total : totals) {
      if (!total)
        return std::nullopt;
      result.ints.push_back(*total);
    }
    return result;
  });
}

static MaybeData cumsum(CumsumOp op, const Data &x, RankedTensorType type) {
  if (x.isFloat())
    return std::nullopt;
  int64_t axis = op.getAxisFromFront(), size = type.getDimSize(axis);
  StridedView to = StridedView::dense(type.getShape()), from = x.broadcast(type.getShape());
  Data result{type, std::vector<int64_t>(type.getNumElements()), {}};
  bool valid = true;
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    // One running sum from each first element along the axis.
    if (index[axis] != 0)
      return;
    MaybeInt sum = 0;
    for (int64_t i = 0; i < size && sum; ++i) {
      SmallVector<int64_t> at(index);
      at[axis] = op.getReverse() ? size - 1 - i : i;
      MaybeInt next = llvm::checkedAdd(*sum, x.ints[from.at(at)]);
      result.ints[to.at(at)] = op.getExclusive() ? *sum : next.value_or(0);
      sum = next;
    }
    valid &= sum.has_value();
  });
  return valid ? MaybeData(result) : std::nullopt;
}

void fold::addReductionRules(RuleTable &table) {
  addReduction<ReduceSumOp>(table);
  addReduction<ReduceProdOp>(table);
  addReduction<ReduceMaxOp>(table);
  addReduction<ReduceMinOp>(table);
  table.add<CumsumOp>([](CumsumOp op, ArrayRef<Data> in, RankedTensorType type) { return cumsum(op, in[0], type); });
}
