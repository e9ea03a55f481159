//===- Intervals.cpp - bounds of values -----------------------------------===//

#include "Intervals.h"
#include "OpGroups.h"
#include "ane/IR/ConstantExpr.h"
#include "llvm/ADT/TypeSwitch.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

/// Longer chains of ops have no bound: the question is asked about every product of a model.
static constexpr unsigned longestChain = 12;
/// Larger constants are weights, of which nothing is assumed.
static constexpr int64_t weightElements = 4096;

static Interval unite(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

static Interval clamp(Interval x, double low, double high) {
  return {std::clamp(x.low, low, high), std::clamp(x.high, low, high)};
}

/// 0 times infinity is 0 here: a bound of 0 is exact.
static double times(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

static Interval product(Interval a, Interval b) {
  auto [low, high] =
      std::minmax({times(a.low, b.low), times(a.low, b.high), times(a.high, b.low), times(a.high, b.high)});
  return {low, high};
}

static Interval sum(Interval a, Interval b) { return {a.low + b.low, a.high + b.high}; }

static Interval magnitude(Interval x) {
  double high = std::max(std::abs(x.low), std::abs(x.high));
  return {x.low <= 0 && x.high >= 0 ? 0 : std::min(std::abs(x.low), std::abs(x.high)), high};
}

/// The bounds of a function that never falls.
template <typename Function>
static Interval rising(Interval x, Function function) {
  return {function(x.low), function(x.high)};
}

static Interval boundsOfConstant(Value value) {
  if (std::optional<double> splat = getSplat(value))
    return {*splat, *splat};
  auto constant = value.getDefiningOp<ConstOp>();
  auto values = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!values || values.getNumElements() > weightElements || values.empty())
    return {};
  Interval result{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  for (APFloat element : values.getValues<APFloat>())
    result = unite(result, {element.convertToDouble(), element.convertToDouble()});
  return result;
}

namespace {
class Bounds {
public:
  Interval of(Value value, unsigned depth) {
    if (!isa<FloatType>(getElementTypeOrSelf(value)))
      return {};
    if (auto found = known.find(value); found != known.end())
      return found->second;
    Operation *op = value.getDefiningOp();
    Interval result;
    if (op && isConstantExpr(op))
      result = boundsOfConstant(value);
    else if (op && depth)
      result = ofResult(op, depth - 1);
    if (std::isnan(result.low) || std::isnan(result.high))
      result = {};
    known[value] = result;
    return result;
  }

private:
  Interval ofResult(Operation *op, unsigned depth) {
    auto x = [&] { return of(op->getOperand(0), depth); };
    auto y = [&] { return of(op->getOperand(1), depth); };
    if (isIn(OpGroup::WithinZeroAndOne, op))
      return {0, 1};
    if (isIn(OpGroup::WithinOneOfZero, op))
      return {-1, 1};
    if (isIn(OpGroup::KeepsBounds, op))
      return x();
    if (isIn(OpGroup::Roundings, op)) {
      Interval inner = x();
      return {std::floor(inner.low), std::ceil(inner.high)};
    }
    return llvm::TypeSwitch<Operation *, Interval>(op)
        .Case([&](ConcatOp concat) {
          Interval all = of(concat.getValues()[0], depth);
          for (Value part : concat.getValues().drop_front())
            all = unite(all, of(part, depth));
          return all;
        })
        .Case([&](SelectOp select) { return unite(of(select.getA(), depth), of(select.getB(), depth)); })
        .Case([&](ReluOp) { return clamp(x(), 0, std::numeric_limits<double>::infinity()); })
        .Case([&](Relu6Op) { return clamp(x(), 0, 6); })
        .Case([&](ClipOp clip) {
          return clamp(x(), clip.getAlpha().convertToDouble(), clip.getBeta().convertToDouble());
        })
        .Case([&](ThresholdOp threshold) {
          return clamp(x(), threshold.getAlpha().convertToDouble(), std::numeric_limits<double>::infinity());
        })
        .Case([&](AbsOp) { return magnitude(x()); })
        .Case([&](SquareOp) { return rising(magnitude(x()), [](double v) { return v * v; }); })
        .Case([&](ExpOp) { return rising(x(), [](double v) { return std::exp(v); }); })
        .Case([&](SqrtOp) { return rising(x(), [](double v) { return std::sqrt(std::max(v, 0.0)); }); })
        .Case([&](MaximumOp) {
          Interval a = x(), b = y();
          return Interval{std::max(a.low, b.low), std::max(a.high, b.high)};
        })
        .Case([&](MinimumOp) {
          Interval a = x(), b = y();
          return Interval{std::min(a.low, b.low), std::min(a.high, b.high)};
        })
        .Case([&](AddOp) { return sum(x(), y()); })
        .Case([&](SubOp) {
          Interval b = y();
          return sum(x(), {-b.high, -b.low});
        })
        .Case([&](MulOp) { return product(x(), y()); })
        .Case([&](RealDivOp) {
          Interval divisor = y();
          return divisor.low > 0 ? product(x(), {1 / divisor.high, 1 / divisor.low}) : Interval();
        })
        .Case([&](MatmulOp matmul) {
          auto type = cast<RankedTensorType>(matmul.getX().getType());
          int64_t depthAxis = type.getRank() - (matmul.getTransposeX() ? 2 : 1);
          return repeated(product(x(), y()), type.getDimSize(depthAxis));
        })
        .Case([&](LinearOp linear) {
          Interval value =
              repeated(product(x(), y()), cast<RankedTensorType>(linear.getX().getType()).getShape().back());
          return linear.getBias() ? sum(value, of(linear.getBias(), depth)) : value;
        })
        .Default([](Operation *) { return Interval(); });
  }

  static Interval repeated(Interval x, int64_t count) { return {times(x.low, count), times(x.high, count)}; }

  llvm::DenseMap<Value, Interval> known;
};
} // namespace

Interval mlir::ane::intervalOf(Value value) { return Bounds().of(value, longestChain); }
