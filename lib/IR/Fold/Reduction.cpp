//===- Reduction.cpp - folding of reductions and running sums -------------===//

#include "Data.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::fold;

using Combine = MaybeInt (*)(int64_t, int64_t);

/// Reduces integers only: the order of a floating-point sum is the target's choice.
template <typename OpTy>
static void addReduction(RuleTable &table, Combine combine) {
  table.add<OpTy>([=](OpTy op, ArrayRef<Data> in, RankedTensorType type) -> MaybeData {
    auto shape = op.getX().getType().getShape();
    int64_t rank = shape.size();
    if (in[0].isFloat() || op.getX().getType().getNumElements() == 0)
      return std::nullopt;
    SmallVector<bool> reduced(rank);
    SmallVector<int64_t> axes = *normalizeAxes(std::nullopt, op.getAxes(), rank);
    for (int64_t axis : axes)
      reduced[axis] = true;
    SmallVector<int64_t> strides = stridesOf(type.getShape());
    std::vector<MaybeInt> totals(type.getNumElements());
    std::vector<bool> seen(totals.size());
    size_t next = 0;
    bool splat = in[0].shape().empty();
    forEachIndex(shape, [&](ArrayRef<int64_t> index) {
      SmallVector<int64_t> kept;
      for (auto [i, at] : llvm::enumerate(index))
        if (!reduced[i] || op.getKeepDims())
          kept.push_back(reduced[i] ? 0 : at);
      int64_t to = dot(kept, strides), value = in[0].ints[splat ? 0 : next++];
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
  int64_t axis = op.getAxis() < 0 ? op.getAxis() + type.getRank() : op.getAxis();
  int64_t size = type.getDimSize(axis);
  SmallVector<int64_t> strides = stridesOf(type.getShape());
  Data result{type, std::vector<int64_t>(type.getNumElements()), {}};
  bool valid = true, splat = x.shape().empty();
  forEachIndex(type.getShape(), [&](ArrayRef<int64_t> index) {
    // One running sum from each first element along the axis.
    if (index[axis] != 0)
      return;
    MaybeInt sum = 0;
    for (int64_t i = 0; i < size && sum; ++i) {
      int64_t position = dot(index, strides) + (op.getReverse() ? size - 1 - i : i) * strides[axis];
      MaybeInt next = llvm::checkedAdd(*sum, x.ints[splat ? 0 : position]);
      result.ints[position] = op.getExclusive() ? *sum : next.value_or(0);
      sum = next;
    }
    valid &= sum.has_value();
  });
  return valid ? MaybeData(result) : std::nullopt;
}

void fold::addReductionRules(RuleTable &table) {
  addReduction<ReduceSumOp>(table, [](int64_t x, int64_t y) { return llvm::checkedAdd(x, y); });
  addReduction<ReduceProdOp>(table, [](int64_t x, int64_t y) { return llvm::checkedMul(x, y); });
  addReduction<ReduceMaxOp>(table, [](int64_t x, int64_t y) { return MaybeInt(std::max(x, y)); });
  addReduction<ReduceMinOp>(table, [](int64_t x, int64_t y) { return MaybeInt(std::min(x, y)); });
  table.add<CumsumOp>([](CumsumOp op, ArrayRef<Data> in, RankedTensorType type) { return cumsum(op, in[0], type); });
}
