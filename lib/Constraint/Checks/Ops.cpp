//===- Ops.cpp - checks on single ops -------------------------------------===//

#include "../CheckHelpers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::ane;

static bool isInteger(Type type) {
  return getElementTypeOrSelf(type).isInteger() && !getElementTypeOrSelf(type).isInteger(1);
}

//===----------------------------------------------------------------------===//
// Channels and matrix products
//===----------------------------------------------------------------------===//

/// Input and output channels of a convolution or linear.
static std::pair<int64_t, int64_t> convChannels(Operation *op) {
  if (auto linear = dyn_cast<LinearOp>(op)) {
    RankedTensorType weight = tensorOf(linear.getWeight());
    return {weight.getDimSize(1), weight.getDimSize(0)};
  }
  auto conv = cast<ConvOp>(op);
  return {tensorOf(conv.getX()).getDimSize(1), tensorOf(conv.getWeight()).getDimSize(0)};
}

static std::optional<Finding> inputChannels(int64_t channels, int64_t limit) {
  auto finding = atMost(channels, limit, "input channels");
  if (finding)
    finding->noRemedy = true; // partial sums round differently: no split is exact
  return finding;
}

namespace mlir::ane {

std::optional<Finding> checkConvChannels(Operation *op, const TargetEnv &env) {
  auto [inputs, outputs] = convChannels(op);
  int64_t limit = env.limit(Limit::ConvChannels);
  if (auto finding = inputChannels(inputs, limit))
    return finding;
  return atMost(outputs, limit, "output channels");
}

std::optional<Finding> checkConvChannelsMeasured(Operation *op, const TargetEnv &env) {
  auto [inputs, outputs] = convChannels(op);
  if (auto finding = inputChannels(inputs, env.limit(Limit::ConvChannels)))
    return finding;
  return atMost(outputs, env.limit(Limit::ConvOutputChannels), "output channels");
}

std::optional<Finding> checkLinearAsConv(Operation *op, const TargetEnv &) {
  if (isa<LinearOp>(op))
    return Finding{"", "a linear, not a 1x1 convolution", ""};
  auto matmul = cast<MatmulOp>(op);
  RankedTensorType y = tensorOf(matmul.getY());
  // A constant for each batch has no convolution of its own.
  if (!isConstantExpr(matmul.getY()) || y.getRank() != 2 || tensorOf(matmul.getX()).getRank() < 2)
    return std::nullopt;
  return Finding{"", "a matmul with a constant matrix, not a 1x1 convolution", ""};
}

//===----------------------------------------------------------------------===//
// Types and spellings
//===----------------------------------------------------------------------===//

std::optional<Finding> checkIntegerCompute(Operation *op, const TargetEnv &) {
  auto find = [&](TypeRange types, StringRef what) -> std::optional<Finding> {
    for (auto [i, type] : llvm::enumerate(types))
      if (isInteger(type)) {
        std::string text;
        llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
        return Finding{what == "result" ? "result" : operandName(op, i), "element type " + text, ""};
      }
    return std::nullopt;
  };
  if (auto finding = find(op->getOperandTypes(), "operand"))
    return finding;
  return find(op->getResultTypes(), "result");
}

std::optional<Finding> checkOpset(Operation *op, const TargetEnv &env) {
  if (int64_t newest = env.limit(Limit::Opset); static_cast<int64_t>(env.getOpset()) > newest)
    return Finding{"opset of the program",
                   stringifyOpset(env.getOpset()).str() + (newest ? "" : ", where no MIL program is read"),
                   newest ? "at most ios" + std::to_string(newest) : "", /*noRemedy=*/true};
  auto mil = dyn_cast<MILSpellingOpInterface>(op);
  if (!mil)
    return Finding{"", op->getName().stripDialect().str() + " has no MIL operation", ""};
  if (mil.getMinOpset() <= env.getOpset())
    return std::nullopt;
  return Finding{"opset", stringifyOpset(mil.getMinOpset()).str(), "at most " + stringifyOpset(env.getOpset()).str()};
}

std::optional<Finding> checkMILPath(Operation *, const TargetEnv &env) {
  if (env.hasMIL())
    return std::nullopt;
  return Finding{"", env.withoutMIL() + " runs no MIL program", ""};
}

std::optional<Finding> checkCastForm(Operation *op, const TargetEnv &) {
  auto cast = mlir::cast<CastOp>(op);
  // Between float types it becomes nothing when the body is written in fp16.
  for (Type type : {cast.getX().getType(), cast.getType()})
    if (isInteger(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << "from " << getElementTypeOrSelf(cast.getX()) << " to "
                                     << getElementTypeOrSelf(cast.getType());
      return Finding{"cast", text, "between fp16 and bool"};
    }
  return std::nullopt;
}

std::optional<Finding> checkPadForm(Operation *op, const TargetEnv &) {
  auto pad = cast<PadOp>(op);
  if (pad.getMode() != "constant")
    return Finding{"mode", pad.getMode().str(), "constant", /*noRemedy=*/true};
  auto border = pad.getBorder();
  for (size_t axis = 0; axis + 2 < border.size(); ++axis)
    if (border[axis] != std::pair<int64_t, int64_t>())
      return Finding{"padded axis", std::to_string(axis), "the last two"};
  return std::nullopt;
}

std::optional<Finding> checkCoreMLPad(Operation *op, const TargetEnv &) {
  auto pad = cast<PadOp>(op);
  StringRef mode = pad.getMode();
  bool isConstant = mode == "constant";
  if (!isConstant && mode != "reflect" && mode != "replicate")
    return Finding{"mode", mode.str(), "constant, reflect or replicate", /*noRemedy=*/true};
  auto border = pad.getBorder();
  size_t free = isConstant ? 3 : 2;
  for (size_t axis = 0; axis + free < border.size(); ++axis)
    if (border[axis] != std::pair<int64_t, int64_t>())
      return Finding{"padded axis of " + mode.str(), std::to_string(axis),
                     isConstant ? "the last three" : "the last two"};
  return std::nullopt;
}

std::optional<Finding> checkPowExponent(Operation *op, const TargetEnv &) {
  return isConstantExpr(cast<PowOp>(op).getY())
             ? std::optional(Finding{"argument 'y'", "a constant", "a runtime value"})
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

std::optional<Finding> checkAccurateSum(Operation *op, const TargetEnv &env) {
  int64_t length =
      tensorOf(op->getOperand(0)).getNumElements() / std::max<int64_t>(tensorOf(op->getResult(0)).getNumElements(), 1);
  return atMost(length, env.limit(Limit::AccurateSumLength) - 1, "elements summed");
}

/// The value of a constant whose elements are all equal.
static std::optional<double> splatOf(Value value) {
  auto constant = value.getDefiningOp<ConstOp>();
  auto values = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : nullptr;
  if (!values || !values.isSplat())
    return std::nullopt;
  return values.getSplatValue<APFloat>().convertToDouble();
}

std::optional<Finding> checkSmallArgument(Operation *op, const TargetEnv &env) {
  // Half a percent of slack: the bound itself is rounded to fp16.
  double bound = env.numeric(Numeric::SmallestFloor) * 0.995;
  // What is not negative (or the model is wrong) plus epsilon.
  double epsilon = isa<LogOp>(op) ? cast<LogOp>(op).getEpsilon().convertToDouble()
                                  : cast<RsqrtOp>(op).getEpsilon().convertToDouble();
  if (epsilon >= bound)
    return std::nullopt;
  Operation *before = op->getOperand(0).getDefiningOp();
  if (auto maximum = dyn_cast_or_null<MaximumOp>(before))
    for (Value value : maximum->getOperands())
      if (splatOf(value).value_or(0) >= bound)
        return std::nullopt;
  if (auto clip = dyn_cast_or_null<ClipOp>(before); clip && clip.getAlpha().convertToDouble() >= bound)
    return std::nullopt;
  if (auto threshold = dyn_cast_or_null<ThresholdOp>(before);
      threshold && threshold.getAlpha().convertToDouble() >= bound)
    return std::nullopt;
  std::string limit;
  llvm::raw_string_ostream(limit) << "at least " << llvm::format("%g", env.numeric(Numeric::SmallestFloor));
  return Finding{operandName(op, 0), "may be as small as 0", limit};
}

/// The value depends on the largest magnitude of a tensor.
static bool dependsOnMaximum(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  return depth && op && (isa<ReduceMaxOp>(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
                           return dependsOnMaximum(operand, depth - 1);
                         }));
}

/// The value was divided by such a maximum, or is computed from values that were.
static bool isScaled(Value value, unsigned depth) {
  Operation *op = value.getDefiningOp();
  if (!depth || !op)
    return false;
  if (auto division = dyn_cast<RealDivOp>(op); division && dependsOnMaximum(division.getY(), depth))
    return true;
  return op->getNumOperands() && llvm::all_of(op->getOperands(), [&](Value operand) {
           return isConstantExpr(operand) || isScaled(operand, depth - 1);
         });
}

/// The value that is squared, looking through products with constants; null if none is.
static Value squaredValue(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto square = dyn_cast_or_null<SquareOp>(op))
    return square.getX();
  auto mul = dyn_cast_or_null<MulOp>(op);
  if (!mul)
    return {};
  if (mul.getX() == mul.getY())
    return mul.getX();
  if (isConstantExpr(mul.getY()))
    return squaredValue(mul.getX());
  return isConstantExpr(mul.getX()) ? squaredValue(mul.getY()) : Value();
}

std::optional<Finding> checkOverflowSafeNorm(Operation *op, const TargetEnv &) {
  constexpr unsigned depth = 12; // of the longest norm that is written, with room
  Value squared;
  if (isa<ReduceSumSquareOp, ReduceL2NormOp>(op))
    squared = op->getOperand(0);
  else if (isa<ReduceSumOp, ReduceMeanOp>(op))
    squared = squaredValue(op->getOperand(0));
  else
    return Finding{"", "the squares of " + op->getName().stripDialect().str() + " overflow", ""};
  if (!squared || isScaled(squared, depth))
    return std::nullopt;
  return Finding{"", "what is squared and summed was not divided by its maximum", ""};
}

} // namespace mlir::ane
