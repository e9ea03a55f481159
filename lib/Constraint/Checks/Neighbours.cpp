//===- Neighbours.cpp - checks on ops beside others -----------------------===//

#include "../CheckHelpers.h"
#include "../OpGroups.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ane;

/// The other factor of a product whose `constant` operand is a constant; calls `test` on both orders.
template <typename Test>
static bool anyFactor(Operation *op, Test test) {
  return test(op->getOperand(0), op->getOperand(1)) || test(op->getOperand(1), op->getOperand(0));
}

/// The op that computes a value, looking through ops that only give it another shape.
static Operation *producerOf(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && isIn(OpGroup::ShapeOnly, op))
    op = op->getOperand(0).getDefiningOp();
  return op;
}

namespace mlir::ane {

std::optional<Finding> checkTransposedOperands(Operation *op, const TargetEnv &) {
  auto isTransposed = [](Value value) { return value.getDefiningOp<TransposeOp>() && !isConstantExpr(value); };
  if (!llvm::all_of(op->getOperands(), isTransposed))
    return std::nullopt;
  return Finding{"", "both operands are transposed by ops of their own", ""};
}

std::optional<Finding> checkRoundThenScale(Operation *op, const TargetEnv &env) {
  bool found = anyFactor(op, [](Value value, Value constant) {
    Operation *producer = producerOf(value);
    return isConstantExpr(constant) && tensorOf(constant).getNumElements() == 1 && producer &&
           isIn(OpGroup::Roundings, producer);
  });
  if (!found)
    return std::nullopt;
  Finding finding{"", "a scalar multiplies what was rounded", ""};
  finding.noRemedy = isEnforced(ConstraintID::RankFourConstant, env); // a constant of full shape is none there
  return finding;
}

std::optional<Finding> checkScaledToZero(Operation *op, const TargetEnv &) {
  bool found = anyFactor(op, [](Value value, Value constant) {
    Operation *producer = producerOf(value);
    std::optional<double> factor = isConstantExpr(constant) ? getSplat(constant) : std::nullopt;
    return factor && std::abs(*factor) < smallestHalf / 2 && producer && isIn(OpGroup::Reductions, producer);
  });
  return found ? std::optional(Finding{"", "a reduction is multiplied by 0", ""}) : std::nullopt;
}

std::optional<Finding> checkSquareThenActivation(Operation *op, const TargetEnv &env) {
  int64_t period = env.limit(Limit::SquareWidthPeriod), most = env.limit(Limit::SquareWidthRest);
  int64_t rest = widthOf(tensorOf(op->getResult(0))) % period;
  auto user = llvm::find_if(op->getUsers(), [](Operation *user) { return isIn(OpGroup::Nonlinearities, user); });
  if (rest <= most || user == op->user_end())
    return std::nullopt;
  return Finding{("width modulo " + Twine(period) + " before " + user->getName().stripDialect()).str(),
                 std::to_string(rest), std::to_string(most)};
}

std::optional<Finding> checkLayerNormAffine(Operation *op, const TargetEnv &env) {
  auto norm = cast<LayerNormOp>(op);
  if (!norm.getGamma() || !norm.getBeta())
    return std::nullopt;
  return atMost(tensorOf(norm.getGamma()).getNumElements(), env.limit(Limit::LayerNormAffine), "normalised elements");
}

std::optional<Finding> checkBroadcastBatch(Operation *op, const TargetEnv &) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  int64_t a = batchOf(tensorOf(x)), b = batchOf(tensorOf(y));
  if (isConstantExpr(x) || isConstantExpr(y) || std::max<int64_t>(a, 1) == std::max<int64_t>(b, 1))
    return std::nullopt;
  return Finding{"", "batches of " + std::to_string(a) + " and " + std::to_string(b) + " are multiplied", ""};
}

std::optional<Finding> checkFanIn(Operation *op, const TargetEnv &env) {
  return atMost(op->getNumOperands(), env.limit(Limit::FanIn), "values joined");
}

std::optional<Finding> checkPadConcat(Operation *op, const TargetEnv &env) {
  if (!llvm::any_of(op->getUsers(), [](Operation *user) { return isa<AddOp>(user); }))
    return std::nullopt;
  return atMost(channelsOf(tensorOf(op->getResult(0))), env.limit(Limit::PadConcatChannels),
                "channels of a pad that is added");
}

std::optional<Finding> checkRopeConcat(Operation *op, const TargetEnv &) {
  if (isa<RopeOp>(op))
    return Finding{"", "a rotary embedding in one op", ""};
  auto concat = cast<ConcatOp>(op);
  if (concat.getAxisFromFront() != tensorOf(concat).getRank() - 1)
    return std::nullopt;
  llvm::SmallPtrSet<Value, 4> sources;
  for (Value part : concat.getValues()) {
    // A half may be negated: a product with -1.
    Operation *producer = part.getDefiningOp();
    if (auto product = dyn_cast_or_null<MulOp>(producer))
      producer = (isConstantExpr(product.getY()) ? product.getX() : product.getY()).getDefiningOp();
    if (producer && isIn(OpGroup::Slices, producer) && !sources.insert(producer->getOperand(0)).second)
      return Finding{"", "two slices of one value are joined along the last axis", ""};
  }
  return std::nullopt;
}

} // namespace mlir::ane
