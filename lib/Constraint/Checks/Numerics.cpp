//===- Numerics.cpp - checks on ranges and accuracy -----------------------===//

#include "../CheckHelpers.h"
#include "ane/IR/ConstantExpr.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::ane;

/// What is known to exceed `bound` in magnitude.
static std::optional<Finding> beyond(std::string subject, FloatRange interval, double bound) {
  if (!interval.isBeyond(bound))
    return std::nullopt;
  double least = interval.low > bound ? interval.low : interval.high;
  return Finding{std::move(subject), llvm::formatv("{0:F0} or beyond", least).str(),
                 llvm::formatv("{0:F0}", bound).str()};
}

/// Elements that one element of the result sums.
static int64_t depthOf(Operation *op) {
  if (auto matmul = dyn_cast<MatmulOp>(op))
    return matmul.getDepth();
  RankedTensorType weight = tensorOf(op->getOperand(1));
  return weight.getNumElements() / std::max<int64_t>(weight.getDimSize(0), 1);
}

static std::string scaleText(Value scale) {
  std::optional<double> splat = getSplat(scale);
  return splat ? llvm::formatv("{0}", *splat).str() : "";
}

namespace mlir::ane {

std::optional<Finding> checkAccumulatorRange(Operation *op, const TargetEnv &env, ValueRanges &ranges) {
  return beyond("result", ranges.of(op->getResult(0)), env.numeric(Numeric::AccumulatorMax));
}

std::optional<Finding> checkExpRange(Operation *op, const TargetEnv &env, ValueRanges &ranges) {
  FloatRange x = ranges.of(op->getOperand(0));
  if (x.low < env.numeric(Numeric::ExpMax))
    return std::nullopt;
  return Finding{operandName(op, 0), llvm::formatv("{0:F3} or more", x.low).str(), "11.094"};
}

std::optional<Finding> checkSquareRange(Operation *op, const TargetEnv &env, ValueRanges &ranges) {
  return beyond(operandName(op, 0), ranges.of(op->getOperand(0)), env.numeric(Numeric::SquareMax));
}

std::optional<Finding> checkSmallProbabilities(Operation *op, const TargetEnv &env) {
  auto softmax = op->getOperand(0).getDefiningOp<SoftmaxOp>();
  if (!softmax)
    return std::nullopt;
  return atMost(depthOf(op), env.limit(Limit::SmallProbabilityKeys), "probabilities summed");
}

std::optional<Finding> checkSmallActivations(Operation *op, const TargetEnv &env, ValueRanges &ranges) {
  FloatRange result = ranges.of(op->getResult(0));
  double high = std::max(-result.low, result.high), bound = env.numeric(Numeric::SmallestNormal);
  if (high == 0 || high >= bound)
    return std::nullopt;
  return Finding{"result", llvm::formatv("{0:E1} or less", high).str(), llvm::formatv("more than {0:E1}", bound).str()};
}

std::optional<Finding> checkQuantisedBranches(Operation *op, const TargetEnv &) {
  auto x = op->getOperand(0).getDefiningOp<DequantizeOp>(), y = op->getOperand(1).getDefiningOp<DequantizeOp>();
  if (!x || !y || x.getScale() == y.getScale())
    return std::nullopt;
  std::string a = scaleText(x.getScale()), b = scaleText(y.getScale());
  if (!a.empty() && a == b)
    return std::nullopt;
  return Finding{"", "the factors are dequantised with different scales", ""};
}

std::optional<Finding> checkDeepProducts(Operation *op, const TargetEnv &env) {
  return atMost(depthOf(op), env.limit(Limit::ProductDepth), "elements summed");
}

} // namespace mlir::ane
