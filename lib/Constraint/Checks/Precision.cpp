//===- Precision.cpp - checks on what fp16 holds too coarsely -------------===//

#include "../CheckHelpers.h"
#include "ane/Constraint/Narrowing.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/WeightFacts.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::ane;

static std::string textOf(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

/// Whether fp16 holds a number with all its bits.
static bool isExact(double value) {
  APFloat half(value);
  bool loses;
  half.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &loses);
  return !loses;
}

/// Whether an element of a constant of fp16 is infinite, of those that are small or a weight's; FoldBatchNorm has
/// looked at what it makes of others.
static bool isInfiniteInHalf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.getElementType().isF16() || !value.getDefiningOp() || !isConstantExpr(value))
    return false;
  if (auto cast = value.getDefiningOp<CastOp>()) {
    std::optional<WeightFacts> facts =
        type.getNumElements() <= 4096 ? factsOfConstant(cast.getX()) : boundsOfMoved(cast.getX());
    return facts && facts->largestMagnitude() >= halfOverflow;
  }
  if (std::optional<double> splat = getSplat(value))
    return std::isinf(*splat);
  auto leaf = value.getDefiningOp<ConstOp>();
  auto dense = leaf ? dyn_cast<DenseFPElementsAttr>(leaf.getValue()) : DenseFPElementsAttr();
  return dense && llvm::any_of(dense, [](const APFloat &element) { return element.isInfinity(); });
}

namespace mlir::ane {

std::optional<Finding> checkCoarseAngle(Operation *op, const TargetEnv &env, ValueRanges &ranges) {
  Value x = op->getOperand(0);
  double most = env.numeric(Numeric::AngleMax);
  if (!ranges.inputArithmetic().isComputed(x) || getElementTypeOrSelf(x).getIntOrFloatBitWidth() <= 16 ||
      ranges.of(x).isWithin(most))
    return std::nullopt;
  return Finding{operandName(op, 0), "computed from inputs, of any size", "within " + textOf(most)};
}

std::optional<Finding> checkCoarseStep(Operation *op, const TargetEnv &, ValueRanges &ranges) {
  if (!isStep(op) || (op->getNumOperands() == 2 && op->getOperand(0) == op->getOperand(1)))
    return std::nullopt;
  const InputArithmetic &arithmetic = ranges.inputArithmetic();
  bool readsInput = false;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (arithmetic.isComputed(operand))
      return Finding{operandName(op, i), "computed from inputs", "of more bits than fp16 has"};
    if (arithmetic.isInput(operand) && looksAtSigns(op))
      return Finding{operandName(op, i), "an input, whose sign is asked for", "of no smaller numbers than fp16 has"};
    readsInput |= arithmetic.isInput(operand);
  }
  // What an input holds is looked at in each run, what a constant is here.
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (std::optional<double> constant = readsInput ? getSplat(operand) : std::nullopt; constant && !isExact(*constant))
      return Finding{operandName(op, i), textOf(*constant), "a number of fp16"};
  return std::nullopt;
}

std::optional<Finding> checkSmallLogarithm(Operation *op, const TargetEnv &env, ValueRanges &ranges) {
  // Half a percent of slack: the bound itself is rounded to fp16.
  double least = isa<AcoshOp>(op) ? 1 : env.numeric(Numeric::SmallestFloor), slack = 0.995;
  Value x = op->getOperand(0);
  auto log = dyn_cast<LogOp>(op);
  double low = ranges.of(x).low + (log ? log.getEpsilon().convertToDouble() : 0);
  if (low >= least * slack)
    return std::nullopt;
  while (x.getDefiningOp() && isa<StridedViewOpInterface>(x.getDefiningOp()))
    x = x.getDefiningOp()->getOperand(0);
  // What an input of a program holds is looked at when it runs.
  if (!x.getDefiningOp())
    return std::nullopt;
  return Finding{operandName(op, 0), "may be as small as " + textOf(low), "at least " + textOf(least)};
}

std::optional<Finding> checkHeldConstants(Operation *op, const TargetEnv &, ValueRanges &ranges) {
  constexpr const char *limit = "held by fp16";
  for (const Narrowing &narrowing : narrowingsOf(op, ranges))
    if (narrowing.because.empty())
      return Finding{operandName(op, narrowing.operand), textOf(narrowing.magnitude), limit, /*noRemedy=*/true};
  // In a program: rounded constants are looked at once more.
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    if (isInfiniteInHalf(operand))
      return Finding{operandName(op, i), "infinite", limit, /*noRemedy=*/true};
  if (std::optional<NamedAttribute> parameter = unheldParameter(op))
    return Finding{parameter->getName().str(), textOf(cast<FloatAttr>(parameter->getValue()).getValueAsDouble()), limit,
                   /*noRemedy=*/true};
  return std::nullopt;
}

} // namespace mlir::ane
