//===- FloatRanges.cpp - bounds of values ---------------------------------===//

#include "FloatRanges.h"
#include "ane/IR/ConstantExpr.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

/// Longer chains of ops have no bound: the question is asked about every product of a model.
static constexpr unsigned longestChain = 12;
/// Larger constants are weights, of which nothing is assumed.
static constexpr int64_t weightElements = 4096;

static FloatRange rangeOfConstant(Value value) {
  if (std::optional<double> splat = getSplat(value))
    return FloatRange::of(*splat);
  auto constant = value.getDefiningOp<ConstOp>();
  auto values = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!values || values.getNumElements() > weightElements || values.empty())
    return {};
  FloatRange range = FloatRange::empty();
  for (APFloat element : values.getValues<APFloat>())
    range = unite({range, FloatRange::of(element.convertToDouble())});
  return range;
}

namespace {
class Ranges {
public:
  FloatRange of(Value value, unsigned depth) {
    if (!isa<FloatType>(getElementTypeOrSelf(value)))
      return {};
    if (auto found = known.find(value); found != known.end())
      return found->second;
    Operation *op = value.getDefiningOp();
    FloatRange range;
    if (op && isConstantExpr(op))
      range = rangeOfConstant(value);
    else if (auto ranged = dyn_cast_or_null<ValueRangeOpInterface>(op); ranged && depth)
      range = infer(ranged, value, depth - 1);
    if (std::isnan(range.low) || std::isnan(range.high))
      range = {};
    known[value] = range;
    return range;
  }

private:
  FloatRange infer(ValueRangeOpInterface op, Value value, unsigned depth) {
    SmallVector<FloatRange> operands;
    for (Value operand : op->getOperands())
      operands.push_back(of(operand, depth));
    FloatRange range;
    op.inferResultRanges(operands, [&](Value result, FloatRange found) {
      if (result == value)
        range = found;
    });
    return range;
  }

  llvm::DenseMap<Value, FloatRange> known;
};
} // namespace

FloatRange mlir::ane::rangeOf(Value value) { return Ranges().of(value, longestChain); }
