//===- Narrowing.cpp - constants that fp16 does not hold ------------------===//

#include "ane/Constraint/Narrowing.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/WeightFacts.h"
#include "runtime/support/half.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

static bool isBeyond(double magnitude) { return magnitude >= halfOverflow; }

bool mlir::ane::isHeld(double value) {
  if (isBeyond(std::abs(value)))
    return false;
  double half = ::ane::rt::halfToFloat(::ane::rt::floatToHalf(static_cast<float>(value)));
  return std::abs(half - value) <= std::abs(value) * 0x1p-8;
}

std::optional<int> mlir::ane::scaleOf(double magnitude) {
  // Of fp16's normal numbers.
  constexpr int least = -14, most = 15;
  if (!(magnitude > 0) || std::isinf(magnitude))
    return std::nullopt;
  int exponent = std::clamp(std::ilogb(magnitude), least, most);
  double rest = std::ldexp(magnitude, -exponent);
  return rest < halfOverflow && rest >= smallestNormalHalf ? std::optional(exponent) : std::nullopt;
}

namespace {
/// What a use does with a value.
enum class Use { Wanted, Passes, Other };
} // namespace

/// Whether all uses of a value are wanted, also behind ops that pass it on. Of a value with uses beyond counting
/// nothing is told.
static bool hasOnlyUses(Value value, function_ref<Use(OpOperand &)> kindOf) {
  constexpr size_t mostValues = 64;
  SmallVector<Value> values{value};
  llvm::SmallDenseSet<Value> seen{value};
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i].use_empty() || values.size() > mostValues)
      return false;
    for (OpOperand &use : values[i].getUses()) {
      Use kind = kindOf(use);
      if (kind == Use::Other || (kind == Use::Passes && use.getOwner()->getNumResults() != 1))
        return false;
      if (kind == Use::Passes && seen.insert(use.getOwner()->getResult(0)).second)
        values.push_back(use.getOwner()->getResult(0));
    }
  }
  return true;
}

bool mlir::ane::isDivisor(Value value) {
  return hasOnlyUses(value, [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<RealDivOp>(user))
      return use.getOperandNumber() == 1 && user->getOperand(0) != use.get() ? Use::Wanted : Use::Other;
    if (isa<ReciprocalOp, InverseOp, RsqrtOp>(user))
      return Use::Wanted;
    bool passes = isa<StridedViewOpInterface, TileOp, SqrtOp, AddOp, MaximumOp, ReduceSumOp>(user);
    return passes ? Use::Passes : Use::Other;
  });
}

bool mlir::ane::isOfSquares(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    std::optional<double> exponent = isa<PowOp>(op) ? getSplat(op->getOperand(1)) : std::nullopt;
    if (isa<SquareOp, ReduceSumSquareOp, ReduceL2NormOp>(op) || exponent == 2 ||
        (isa<MulOp>(op) && op->getOperand(0) == op->getOperand(1)))
      return true;
    const bool isProduct = isa<MatmulOp, LinearOp>(op);
    if (!isProduct && !isa<AddOp, SqrtOp, MaximumOp, ReduceSumOp, ReduceMeanOp, StridedViewOpInterface>(op))
      return false;
    value = op->getOperand(isProduct && isConstantExpr(op->getOperand(0)) ? 1 : 0);
  }
  return false;
}

/// 64 times the smallest number of fp16: it is rounded by less than a hundredth.
static constexpr double leastWithDigits = 64 * smallestHalf;

static bool isWeight(Operation *op, unsigned i) {
  return isa<LinearOp, MatmulOp, ConvOp, ConvTransposeOp>(op) && i < 2;
}

/// The largest magnitude of operand `i` of an op, a constant, if fp16 does not hold it, or so few of its digits that it
/// holds other elements by less.
static std::optional<double> unheldMagnitude(Operation *op, unsigned i) {
  Value constant = op->getOperand(i);
  std::optional<WeightFacts> facts = factsOfConstant(constant);
  if (!facts || facts->range.low > facts->range.high)
    return std::nullopt;
  double magnitude = facts->largestMagnitude();
  bool isEven =
      facts->range.low == facts->range.high || magnitude >= (isWeight(op, i) ? smallestNormalHalf : leastWithDigits);
  return magnitude == 0 || (isEven && isHeld(magnitude)) ? std::nullopt : std::optional(magnitude);
}

/// Whether a value is only added to others, beside which what fp16 rounds of it is nothing.
static bool isAddend(Value value) {
  return hasOnlyUses(value, [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<AddOp, SubOp>(user))
      return isConstantExpr(user->getOperand(0)) || isConstantExpr(user->getOperand(1)) ? Use::Other : Use::Wanted;
    return isa<StridedViewOpInterface>(user) ? Use::Passes : Use::Other;
  });
}

/// Whether a value only goes into layers, which sum it with others or bound it: what is nothing beside the others stays
/// nothing.
static bool isLayerInput(Value value) {
  return hasOnlyUses(value, [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<ConvOp, ConvTransposeOp, LinearOp, MatmulOp, SoftmaxOp, AvgPoolOp, MaxPoolOp>(user))
      return Use::Wanted;
    bool passes = isa<StridedViewOpInterface, ConcatOp, PadOp, ReluOp, SigmoidOp, SiluOp, GeluOp, TanhOp>(user);
    return passes ? Use::Passes : Use::Other;
  });
}

/// Whether a product of `factor` and numbers of about 1, the result of `op`, has digits in fp16, or needs none.
static bool hasDigits(Operation *op, double factor) { return factor >= leastWithDigits || isAddend(op->getResult(0)); }

/// Whether operand `i` of an op, of that magnitude, makes a number of about 1 too large for fp16.
static bool enlarges(Operation *op, unsigned i, double magnitude) {
  return isBeyond(isa<RealDivOp>(op) && i == 1 ? 1 / magnitude : magnitude);
}

/// Why a program may hold operand `i` otherwise than the op has it; empty: it may not.
static StringRef reasonFor(Operation *op, unsigned i, Value constant, double magnitude, ValueRanges &ranges) {
  FloatRange range = factsOfConstant(constant)->range;
  // What makes large numbers of others must be known to make none that are too large.
  bool fits = op->getNumResults() == 1 && ranges.of(op->getResult(0)).isWithin(halfOverflow);
  StringRef rescaled = scaleOf(magnitude) && (fits || !enlarges(op, i, magnitude)) ? "rescaled" : "";
  StringRef guard = !isBeyond(magnitude) && op->getNumResults() == 1 && isDivisor(op->getResult(0)) ? "guard" : "";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([&](MulOp) { return hasDigits(op, magnitude) ? rescaled : ""; })
      .Case([&](RealDivOp) {
        bool isSpelled = i == 1 ? hasDigits(op, 1 / magnitude) : isBeyond(magnitude);
        return isSpelled ? rescaled : "";
      })
      .Case<LinearOp, MatmulOp, ConvOp>([&](Operation *) { return isWeight(op, i) ? rescaled : ""; })
      .Case([&](MinimumOp) { return isBeyond(range.low) && range.low > 0 ? "bound" : guard; })
      .Case([&](MaximumOp) { return isBeyond(-range.high) ? "bound" : guard; })
      .Case<AddOp, SubOp>([&](Operation *) { return guard; })
      .Default(StringRef());
}

/// Whether what fp16 makes of a small operand is nothing beside the op's result: a bias, which has more than one value
/// or is added to what goes into layers, and weights of a product the largest of which has all its digits. Statistics
/// are computed with before they are rounded.
static bool isHarmless(Operation *op, unsigned i, double magnitude) {
  if (isa<BatchNormOp>(op))
    return true;
  if (isBeyond(magnitude))
    return false;
  if (isa<AddOp, SubOp>(op))
    return !getSplat(op->getOperand(i)) || isLayerInput(op->getResult(0));
  return isWeight(op, i) ? magnitude >= smallestNormalHalf : isa<LinearOp, ConvOp, ConvTransposeOp>(op);
}

SmallVector<Narrowing> mlir::ane::narrowingsOf(Operation *op, ValueRanges &ranges) {
  SmallVector<Narrowing> found;
  if (isa<NarrowOp>(op) || isConstantExpr(op))
    return found;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    auto type = dyn_cast<FloatType>(getElementTypeOrSelf(operand));
    Operation *producer = operand.getDefiningOp();
    if (!type || !producer || isa<NarrowOp>(producer) || !isConstantExpr(producer))
      continue;
    std::optional<double> magnitude = unheldMagnitude(op, i);
    if (magnitude && !isHarmless(op, i, *magnitude))
      found.push_back({unsigned(i), *magnitude, reasonFor(op, i, operand, *magnitude, ranges)});
  }
  return found;
}

/// Whether a program may leave out a parameter, or hold a larger one: no number of fp16 is beyond it, or it keeps a
/// divisor from being 0, or maxima read what it pads.
static bool isOptional(Operation *op, StringRef name, double value) {
  bool isBound = isa<ClipOp, ThresholdOp>(op);
  if (!isBeyond(std::abs(value)))
    return isBound && isDivisor(op->getResult(0));
  if (isa<PadOp>(op))
    return value < 0 && llvm::all_of(op->getUsers(), [](Operation *user) { return isa<MaxPoolOp, ReduceMaxOp>(user); });
  return isBound && (name == "beta" ? value > 0 : value < 0);
}

std::optional<NamedAttribute> mlir::ane::unheldParameter(Operation *op) {
  for (NamedAttribute attribute : op->getAttrs()) {
    auto number = dyn_cast<FloatAttr>(attribute.getValue());
    // Legalisers know what becomes of an epsilon.
    if (!number || attribute.getName() == "epsilon" || attribute.getNameDialect())
      continue;
    double value = number.getValueAsDouble();
    if (value != 0 && !isHeld(value) && !isOptional(op, attribute.getName(), value))
      return attribute;
  }
  return std::nullopt;
}
