//===- Place.cpp - mark the ops that stay on the CPU ----------------------===//

#include "ane/Constraint/ConstantSources.h"
#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Narrowing.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/WeightFacts.h"
#include "ane/Transforms/Passes.h"
#include "ane/Transforms/StateOrder.h"
#include <deque>

namespace mlir::ane {
#define GEN_PASS_DEF_PLACE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static bool isHost(Operation *op) { return attrs::host.isOn(op); }

static void markHost(Operation *op, StringRef constraint, const Twine &reason) {
  attrs::host.set(op, HostAttr::get(op->getContext(), constraint, reason.str()));
}

/// Whether an op is a return, or writes a state: its operands leave the plan.
static bool leaves(Operation *op) { return op->hasTrait<OpTrait::IsTerminator>() || stateAccessOf(op).writes; }

static bool isBool(Value value) { return getElementTypeOrSelf(value).isInteger(1); }

/// Whether an operand is a constant that neither the program nor its weight file can hold. A condition of floats is
/// spelled without it (ane-legalize-dtype).
static bool isStuck(Operation &op, Value operand) {
  if (!isBool(operand) || cast<RankedTensorType>(operand.getType()).getNumElements() < inlineElements)
    return false;
  return !isa<SelectOp>(op) || isBool(op.getResult(0));
}

/// A model that asks for f64 would not be served by fp16: positions beyond 2,048 and differences of large numbers are
/// lost.
static bool isDouble(Operation &op) {
  auto isF64 = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  return llvm::any_of(op.getOperandTypes(), isF64) || llvm::any_of(op.getResultTypes(), isF64);
}

/// Softmax of what is computed from a model's fp32 inputs: e^x of an input of 10,000 that is rounded by 4 is off by
/// e^4. What a model computes otherwise has been rounded anyway.
static bool exponentiatesInput(Operation &op, const TargetEnv &env, ValueRanges &ranges) {
  if (!isa<SoftmaxOp, LogSoftmaxOp>(op) || !getElementTypeOrSelf(op.getResult(0)).isF32())
    return false;
  Value x = op.getOperand(0);
  return ranges.inputArithmetic().contains(x) && !ranges.of(x).isWithin(env.numeric(Numeric::ExpMax));
}

/// Whether a value has integers of an input, such as a mask, which are small where they are summed.
static bool isOfIntegers(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<CastOp, StridedViewOpInterface>(op))
      return false;
    value = op->getOperand(0);
    if (!isa<FloatType>(getElementTypeOrSelf(value)))
      return true;
  }
  return false;
}

/// A sum or product of inputs that others are divided by: where it is infinite in fp16 the quotient is 0, and nobody
/// sees it.
static bool makesDivisor(Operation &op, ValueRanges &ranges) {
  return isa<ReduceSumOp, ReduceL1NormOp, ReduceSumSquareOp, MulOp, PowOp>(op) &&
         ranges.inputArithmetic().contains(op.getOperand(0)) && getElementTypeOrSelf(op.getResult(0)).isF32() &&
         !ranges.of(op.getResult(0)).isWithin(halfOverflow) && !isOfIntegers(op.getOperand(0)) &&
         isDivisor(op.getResult(0));
}

/// The largest factor that a product or quotient behind `value` has.
static double factorBehind(Value value) {
  Operation *user = value.hasOneUse() ? *value.user_begin() : nullptr;
  if (!user || !isa<MulOp, RealDivOp>(user) || !isConstantExpr(user->getOperand(1)))
    return 1;
  std::optional<WeightFacts> facts = factsOfConstant(user->getOperand(1));
  if (!facts)
    return 1;
  if (isa<MulOp>(user))
    return facts->largestMagnitude();
  double least = std::max(facts->range.low, -facts->range.high);
  return least > 0 ? 1 / least : 1;
}

/// Whether some channel of a norm may have a mean of more than 16 standard deviations, of which fp16 loses half a
/// percent and more.
static bool isFarFrom0(BatchNormOp norm) {
  constexpr double mostDeviations = 16;
  std::optional<WeightFacts> mean = factsOfConstant(norm.getMean()), variance = factsOfConstant(norm.getVariance());
  double least = variance ? std::max(variance->range.low, 0.0) + norm.getEpsilon().convertToDouble() : 0;
  return mean && variance && mean->largestMagnitude() > mostDeviations * std::sqrt(least);
}

/// Whether an op takes from inputs their mean, others, or a constant beyond 256 in units of the result: times, years,
/// coordinates. fp16 would round the operands first, by as much as the difference may be. Pixels are whole numbers up
/// to 255, which fp16 holds.
static bool cancelsInputs(Operation &op, ValueRanges &ranges) {
  constexpr double largestMean = 256;
  if (op.getNumOperands() == 0 || op.getNumResults() != 1 || !getElementTypeOrSelf(op.getResult(0)).isF32())
    return false;
  Value x = op.getOperand(0);
  const InputArithmetic &arithmetic = ranges.inputArithmetic();
  if (auto norm = dyn_cast<BatchNormOp>(op))
    return arithmetic.isInput(x) && isFarFrom0(norm);
  if (!isa<SubOp, AddOp>(op))
    return false;
  Value y = op.getOperand(1);
  if (isConstantExpr(x))
    std::swap(x, y);
  if (!arithmetic.isInput(x) || isOfIntegers(x))
    return false;
  if (!isConstantExpr(y))
    return isa<SubOp>(op) && arithmetic.contains(y);
  std::optional<WeightFacts> facts = factsOfConstant(y);
  double magnitude = facts ? facts->largestMagnitude() : 0;
  return magnitude < halfOverflow && magnitude * std::max(factorBehind(op.getResult(0)), 1.0) > largestMean;
}

/// Whether an op's result is finite where an operand is infinite.
static bool absorbsInfinity(Operation *op) {
  return isa<SoftmaxOp, ScaledDotProductAttentionOp, ExpOp, SigmoidOp, SigmoidHardOp, TanhOp, ErfOp, ReduceMaxOp,
             ReduceMinOp, ReduceLogSumExpOp, MaximumOp, MinimumOp, ClipOp>(op);
}

/// Whether a constant has a NaN.
static bool hasNaN(Value value) {
  if (!isa<FloatType>(getElementTypeOrSelf(value)) || !isConstantExpr(value))
    return false;
  std::optional<WeightFacts> facts = factsOfConstant(value);
  if (!facts || !facts->hasNaN)
    return false;
  markDecisive(value);
  return true;
}

namespace {
struct Place : mlir::ane::impl::PlaceBase<Place> {
  using PlaceBase::PlaceBase;
  void runOnOperation() override;

private:
  static void markNarrowing(Block &body);
  void markUnheld(Block &body, ValueRanges &ranges);
  void markPrecise(Block &body, const InputArithmetic &arithmetic);
  void markBehindSteps(Block &body, const InputArithmetic &arithmetic, ValueRanges &ranges);
  void passBoolsAsNumbers(Block &body);
  void markBoolBorders(Block &body);
};
} // namespace

static bool isHostBool(Value value) {
  Operation *producer = value.getDefiningOp();
  return isBool(value) && !isConstantExpr(value) && (!producer || isHost(producer) || isStateAccess(producer));
}

/// Whether an op takes truth values from the CPU as numbers.
static bool takesNumbers(Operation *op) {
  return isa<SelectOp, ScaledDotProductAttentionOp>(op) && isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
}

/// Masks choose between constants, one of which may be beyond fp16. Where the choice is made on the engine the constant
/// is known and clamped (C55): the condition goes there as 0 or 1.
void Place::passBoolsAsNumbers(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(body.without_terminator())) {
    if (isHost(&op) || !takesNumbers(&op))
      continue;
    for (OpOperand &operand : op.getOpOperands()) {
      if (!isHostBool(operand.get()))
        continue;
      OpBuilder builder(&op);
      Composer b(builder, op.getLoc());
      Value number = b.make<CastOp>(operand.get(), getElementTypeOrSelf(op.getResult(0)));
      markHost(number.getDefiningOp(), info(ConstraintID::C22).code, "a truth value for the engine becomes a number");
      operand.set(b.make<NotEqualOp>(number, b.scalar(number, 0.0)));
    }
  }
}

/// Why an op passes a truth value over the border between CPU and engine; empty if it does not.
static StringRef passesTruth(Operation &op) {
  auto isRead = [](Operation *user) { return isHost(user) || leaves(user); };
  if (llvm::any_of(op.getOperands(), [&](Value operand) { return isConstantExpr(operand) && isStuck(op, operand); }))
    return "reads a bool constant, which a weight file can't hold";
  if (!takesNumbers(&op) && llvm::any_of(op.getOperands(), isHostBool))
    return "reads a bool that is computed on the CPU";
  if (llvm::any_of(op.getResults(),
                   [&](Value result) { return isBool(result) && llvm::any_of(result.getUsers(), isRead); }))
    return "gives a bool to the CPU";
  return "";
}

/// Truth values exist inside a program only: an op that would pass one over the border stays on the CPU, with which
/// its neighbours come to stand at the border.
void Place::markBoolBorders(Block &body) {
  std::deque<Operation *> open;
  for (Operation &op : body.without_terminator())
    open.push_back(&op);
  for (; !open.empty(); open.pop_front()) {
    Operation *op = open.front();
    if (op->hasTrait<OpTrait::IsTerminator>() || isHost(op) || isConstantExpr(op) || isStateAccess(op))
      continue;
    StringRef why = passesTruth(*op);
    if (why.empty())
      continue;
    markHost(op, info(ConstraintID::C22).code, why);
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp(); producer && isBool(operand))
        open.push_back(producer);
    SmallVector<Operation *> readers;
    for (Value result : op->getResults())
      if (isBool(result))
        llvm::append_range(readers, result.getUsers());
    // The order of uses depends on how the IR was made.
    llvm::sort(readers, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    llvm::append_range(open, readers);
  }
}

/// A value is narrowed for programs alone.
void Place::markNarrowing(Block &body) {
  for (NarrowOp narrow : body.getOps<NarrowOp>())
    if (!isHost(narrow) && !isConstantExpr(narrow.getOperation()) && llvm::all_of(narrow->getUsers(), isHost))
      markHost(narrow, info(ConstraintID::FiniteConstants).code, "no program reads it");
}

/// What an op makes of a constant that fp16 does not hold may be as large, or as small: it is computed on the CPU, with
/// the arithmetic that reads it.
void Place::markUnheld(Block &body, ValueRanges &ranges) {
  llvm::SmallPtrSet<Operation *, 16> makers;
  auto readsUnheld = [&](Operation &op) {
    return llvm::any_of(narrowingsOf(&op, ranges),
                        [](const Narrowing &narrowing) { return narrowing.because.empty(); }) ||
           unheldParameter(&op);
  };
  for (Operation &op : body.without_terminator()) {
    bool reads =
        llvm::any_of(op.getOperands(), [&](Value operand) { return makers.contains(operand.getDefiningOp()); });
    bool isArithmetic = op.hasTrait<BroadcastElementwise>() || isa<StridedViewOpInterface, ConcatOp, PadOp, TileOp>(op);
    if ((!reads && !(isHost(&op) && readsUnheld(op))) || isStateAccess(&op) || isa<NarrowOp>(op))
      continue;
    if (isArithmetic && !absorbsInfinity(&op))
      makers.insert(&op);
    if (!isHost(&op) && (isArithmetic || absorbsInfinity(&op)))
      markHost(&op, info(ConstraintID::HeldConstants).code,
               "reads what is computed with a constant that fp16 does not hold");
  }
}

/// Whether a logarithm on the CPU wants an op there that it reads: of 1 - p nothing is left in fp16 where p is near 1,
/// and of a quiet spectrum nothing where it is squared, summed or put into bands.
static bool leadsToLogarithm(Operation *op) {
  if (op->hasTrait<BroadcastElementwise>() || isa<StridedViewOpInterface, SoftmaxOp, ReduceSumSquareOp>(op))
    return true;
  return isa<MatmulOp, LinearOp, ReduceSumOp, ReduceMeanOp>(op) && isOfSquares(op->getResult(0));
}

/// The ops that move inputs for the CPU are there, too, as are those that compute from inputs what a sine, a logarithm,
/// a softmax or a step reads on the CPU, or a state: rounded to fp16 on its way through a program it would be wrong.
/// What moves inputs for programs, too, is done twice.
void Place::markPrecise(Block &body, const InputArithmetic &arithmetic) {
  llvm::SmallPtrSet<Operation *, 16> precise, logarithms;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body.without_terminator()))) {
    bool isWanted = precise.contains(&op);
    if (stateAccessOf(&op).writes)
      for (Value operand : op.getOperands())
        if (Operation *producer = operand.getDefiningOp(); producer && arithmetic.isComputed(operand))
          precise.insert(producer);
    bool isCoarse = isStep(&op) || isa<SinOp, CosOp, TanOp, LogOp, SoftmaxOp, LogSoftmaxOp, AddOp, SubOp>(op);
    if (!isWanted && !isHost(&op))
      continue;
    bool isOfLogarithm = logarithms.contains(&op) || isa<LogOp>(op);
    for (Value operand : op.getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || isConstantExpr(producer))
        continue;
      bool leads = isOfLogarithm && leadsToLogarithm(producer);
      if (leads)
        logarithms.insert(producer);
      if (leads || arithmetic.isInput(operand) || ((isWanted || isCoarse) && arithmetic.contains(operand)))
        precise.insert(producer);
    }
    if (!isWanted || isHost(&op))
      continue;
    if (!arithmetic.contains(op.getResult(0))) {
      markHost(&op, info(ConstraintID::SmallLogarithm).code, "computes what a logarithm reads on the CPU");
      continue;
    }
    Operation *computed = &op;
    auto isRead = [](Operation *user) { return isHost(user) || leaves(user); };
    if (arithmetic.isInput(op.getResult(0)) && !llvm::all_of(op.getUsers(), isRead)) {
      OpBuilder builder(op.getContext());
      builder.setInsertionPointAfter(&op);
      computed = builder.clone(op);
      op.replaceUsesWithIf(computed, [&](OpOperand &use) { return isRead(use.getOwner()); });
    }
    markHost(computed, info(ConstraintID::CoarseStep).code, "makes of inputs what the CPU needs in the model's type");
  }
}

/// What is computed from inputs with the result of a step, such as x - floor(x), or with what may be infinite in fp16
/// goes on on the CPU.
void Place::markBehindSteps(Block &body, const InputArithmetic &arithmetic, ValueRanges &ranges) {
  llvm::SmallPtrSet<Operation *, 16> steps, divisors;
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() != 1 || !arithmetic.isComputed(op.getResult(0)) ||
        !isa<FloatType>(getElementTypeOrSelf(op.getResult(0))))
      continue;
    // What has one operand cancels nothing.
    auto reads = [&](const llvm::SmallPtrSet<Operation *, 16> &ops) {
      return op.hasTrait<BroadcastElementwise>() && (op.getNumOperands() > 1 || isHost(&op)) &&
             llvm::any_of(op.getOperands(), [&](Value operand) { return ops.contains(operand.getDefiningOp()); });
    };
    bool followsStep = reads(steps), followsDivisor = reads(divisors) && !isa<RealDivOp>(op);
    if ((followsStep || followsDivisor) && !isHost(&op))
      markHost(&op, info(ConstraintID::CoarseStep).code, "computes with what the CPU made of inputs");
    if (followsStep || (isHost(&op) && isStep(&op)))
      steps.insert(&op);
    if (followsDivisor || (isHost(&op) && makesDivisor(op, ranges)))
      divisors.insert(&op);
  }
}

void Place::runOnOperation() {
  TargetEnv env = lookupTargetEnv(getOperation());
  Block &body = getOperation().front();
  ValueRanges ranges(getOperation());
  for (Operation &op : body.without_terminator()) {
    if (isHost(&op) || isConstantExpr(&op) || isStateAccess(&op))
      continue;
    // What an op makes of constants is one, and no result of a program (C51); those that compilation can't fold are
    // here.
    if (op.getNumOperands() != 0 &&
        llvm::all_of(op.getOperands(), [](Value operand) { return isConstantExpr(operand); }))
      markHost(&op, info(ConstraintID::C51).code, "reads constants alone");
    else if (std::optional<Violation> violation = findBlocker(&op, env, &ranges)) {
      markHost(&op, info(violation->id).code, violation->text());
      if (violation->id == ConstraintID::HeldConstants)
        for (const Narrowing &narrowing : narrowingsOf(&op, ranges))
          markDecisive(op.getOperand(narrowing.operand));
    } else if (llvm::any_of(op.getOperands(), hasNaN))
      markHost(&op, info(ConstraintID::FiniteConstants).code, "reads a constant that is NaN");
    else if (isDouble(op))
      markHost(&op, info(ConstraintID::C22).code, "computes in f64");
    else if (exponentiatesInput(op, env, ranges))
      markHost(&op, info(ConstraintID::C22).code,
               "raises e to what is computed from inputs, which fp16 rounds by too much");
    else if (cancelsInputs(op, ranges))
      markHost(&op, info(ConstraintID::C22).code, "takes a difference of inputs, which fp16 would round before");
    else if (makesDivisor(op, ranges))
      markHost(&op, info(ConstraintID::C22).code,
               "makes of inputs what others are divided by, which may be infinite in fp16");
  }
  markUnheld(body, ranges);
  markBehindSteps(body, ranges.inputArithmetic(), ranges);
  markPrecise(body, ranges.inputArithmetic());
  markNarrowing(body);
  markBoolBorders(body);
  passBoolsAsNumbers(body);
}
