//===- Values.cpp - what programs have in place of values -----------------===//

#include "Values.h"
#include "ane/Constraint/InputArithmetic.h"
#include "ane/Constraint/Narrowing.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/WeightFacts.h"
#include "ane/Support/Diagnostics.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include <set>

using namespace mlir;
using namespace mlir::ane;

static std::string textOf(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}

static std::string nodeOf(Operation *op) {
  std::string node = nodeName(op->getLoc());
  for (Operation *user : op->getUsers())
    if (node.empty())
      node = nodeName(user->getLoc());
  return node.empty() ? op->getName().getStringRef().str() : node;
}

/// What a program has in place of a narrowed value, and how far off that is.
static std::string textOf(NarrowOp op, double least) {
  StringRef because = op.getBecause();
  if (because == "mask")
    return (op.getAxis() ? "rows less their largest element, and no less than " : "no less than ") + textOf(least) +
           ": what a softmax hides has a weight of 0, as in the model";
  if (because == "masked_rows")
    return "scores are 0 where a mask leaves no bits for them: all weights are alike, as in the model";
  std::string value = "a constant";
  if (std::optional<WeightFacts> facts = factsOfConstant(op.getX()))
    value = textOf(facts->largestMagnitude());
  if (because == "rescaled")
    return value + " as a power of two and a number of fp16: off by 2^-11 of itself";
  if (because == "guard")
    return value + " is 2^-24 in a divisor: it differs where that is smaller";
  return value + " bounds no number of fp16: exact";
}

/// Whether an op makes large numbers that others are divided by: where one is infinite in fp16 the quotient is 0.
static bool mayHideInfinity(Operation &op, ValueRanges &ranges) {
  bool isOfTwo = isa<MulOp>(op) && llvm::none_of(op.getOperands(), [](Value value) { return isConstantExpr(value); });
  bool grows = isOfTwo || isa<PowOp, ExpOp, Exp2Op, ReduceSumOp, ReduceSumSquareOp, ReduceL2NormOp>(op);
  return grows && !ranges.of(op.getResult(0)).isWithin(halfOverflow) && isDivisor(op.getResult(0));
}

/// Whether an op that the engine computes takes a step on rounded activations, or their sine: where a value is near a
/// step, it may be on the other side.
static bool stepsOnActivations(Operation *op) {
  if (isa<SinOp, CosOp, TanOp>(op))
    return getElementTypeOrSelf(op->getResult(0)).isF32();
  if (!isStep(op) || (op->getNumOperands() == 2 && op->getOperand(0) == op->getOperand(1)))
    return false;
  // Rounding keeps a sign, but for that of a difference that it makes 0, and of a probability below fp16's numbers.
  if (!looksAtSigns(op) || isa<EqualOp, NotEqualOp>(op))
    return true;
  auto isDifference = [](Value value) {
    Operation *producer = value.getDefiningOp();
    bool isShifted = producer && isa<AddOp>(producer) &&
                     llvm::any_of(producer->getOperands(), [](Value operand) { return isConstantExpr(operand); });
    return isShifted || isa_and_nonnull<SubOp, SoftmaxOp, SigmoidOp, ExpOp>(producer);
  };
  return llvm::any_of(op->getOperands(), isDifference);
}

namespace {
/// The steps of a plan's functions on activations: of programs on what they compute or others have computed, of the CPU
/// on what programs have.
class Steps {
public:
  Steps(const SymbolTable &symbols, std::vector<ReportedAdvice> &found) : symbols(symbols), found(found) {}

  void visit(func::FuncOp plan) {
    for (Operation &op : plan.front()) {
      if (auto eval = dyn_cast<EvalOp>(op)) {
        visitTwin(symbols.lookup<func::FuncOp>(eval.getTwinAttr().getValue()), op.getOperands());
        rounded.insert(op.result_begin(), op.result_end());
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        visitHost(symbols.lookup<func::FuncOp>(call.getCallee()), call);
      }
    }
  }

private:
  void add(Operation &op, StringRef text, StringRef reason = "step") {
    found.push_back({reason.str(), nodeOf(&op), text.str()});
  }

  void visitTwin(func::FuncOp twin, ValueRange operands) {
    llvm::DenseSet<Value> inputs; // elements of the model's inputs, as they are
    for (auto [argument, operand] : llvm::zip_equal(twin.getArguments(), operands))
      if (!rounded.contains(operand))
        inputs.insert(argument);
    ValueRanges ranges(twin);
    for (Operation &op : twin.front()) {
      auto isInput = [&](Value operand) { return inputs.contains(operand) || isConstantExpr(operand); };
      if (mayHideInfinity(op, ranges) && !llvm::all_of(op.getOperands(), isInput))
        add(op, "is infinite beyond 65504, and what is divided by it 0", "overflow");
      if (llvm::all_of(op.getOperands(), isInput)) {
        if (isa<LayerNormOp, InstanceNormOp, GroupNormOp>(op))
          add(op, "takes from inputs their mean, by 2^-11 of which fp16 rounds them: a deviation far below it is wrong",
              "mean");
        if (keepsElements(&op))
          inputs.insert(op.result_begin(), op.result_end());
      } else if (stepsOnActivations(&op)) {
        add(op, "takes activations as fp16 rounds them, by 2^-11 of themselves: what is near a step, or the sine of a "
                "large angle, may differ");
      }
    }
  }

  void visitHost(func::FuncOp function, func::CallOp call) {
    if (function.isExternal())
      return;
    llvm::DenseSet<Value> known;
    for (auto [argument, operand] : llvm::zip_equal(function.getArguments(), call.getOperands()))
      if (rounded.contains(operand))
        known.insert(argument);
    for (Operation &op : function.front().without_terminator()) {
      if (llvm::none_of(op.getOperands(), [&](Value operand) { return known.contains(operand); }))
        continue;
      known.insert(op.result_begin(), op.result_end());
      if (stepsOnActivations(&op))
        add(op, "takes what a program computed in fp16: what is near a step may differ");
      if (isa<LogOp>(op) && isOfSquares(op.getOperand(0)))
        add(op, "reads squares of what a program computed in fp16: those far below the largest are mostly rounding",
            "logarithm");
    }
    for (auto [result, value] : llvm::zip_equal(call.getResults(), function.front().getTerminator()->getOperands()))
      if (known.contains(value))
        rounded.insert(result);
  }

  const SymbolTable &symbols;
  std::vector<ReportedAdvice> &found;
  llvm::DenseSet<Value> rounded; // values of the plan that hang on what a program computed
};
} // namespace

std::vector<ReportedAdvice> mlir::ane::narrowedValues(ModuleOp module) {
  std::vector<ReportedAdvice> found;
  double least = lookupTargetEnv(module).numeric(Numeric::MaskValue);
  SymbolTable symbols(module);
  for (auto function : module.getOps<func::FuncOp>()) {
    auto role = attrs::role.get(function);
    if (!role || function.isExternal())
      continue;
    if (role.getValue() == "plan")
      Steps(symbols, found).visit(function);
    else if (role.getValue() == "twin")
      for (NarrowOp narrow : function.front().getOps<NarrowOp>())
        found.push_back({narrow.getBecause().str(), nodeOf(narrow), textOf(narrow, least)});
  }
  for (auto program : module.getOps<ProgramOp>())
    for (auto procedure : program.getBody().getOps<func::FuncOp>())
      for (unsigned i = 0; i < procedure.getNumArguments(); ++i)
        if (attrs::holds.ofArgument(procedure, i)) {
          auto port = attrs::portName.ofArgument(procedure, i);
          found.push_back({"input", procedureName(procedure) + "." + (port ? port.getValue().str() : std::to_string(i)),
                           "looked at in each run: where fp16 holds it too coarsely the CPU computes the program"});
        }
  // An op of the model may be several ops here.
  std::set<std::tuple<StringRef, StringRef, StringRef>> seen;
  std::vector<ReportedAdvice> once;
  for (const ReportedAdvice &each : found)
    if (seen.emplace(each.constraint, each.node, each.text).second)
      once.push_back(each);
  return once;
}
