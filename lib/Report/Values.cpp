//===- Values.cpp - what programs have in place of values -----------------===//

#include "Values.h"
#include "ane/Constraint/InputArithmetic.h"
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

/// Whether an op that the engine computes takes a step on rounded activations, or their sine: where a value is near a
/// step, it may be on the other side.
static bool stepsOnActivations(Operation *op) {
  if (isa<SinOp, CosOp, TanOp>(op))
    return getElementTypeOrSelf(op->getResult(0)).isF32();
  if (!isStep(op) || (op->getNumOperands() == 2 && op->getOperand(0) == op->getOperand(1)))
    return false;
  // Rounding keeps signs.
  bool isOrder = isa<GreaterOp, GreaterEqualOp, LessOp, LessEqualOp>(op);
  return !isOrder || llvm::none_of(op->getOperands(), [](Value operand) { return getSplat(operand) == 0.0; });
}

namespace {
/// The steps of CPU functions on what programs computed, plan by plan.
class HostSteps {
public:
  HostSteps(ModuleOp module, std::vector<ReportedAdvice> &found) : module(module), found(found) {}

  void visit(func::FuncOp plan) {
    llvm::DenseSet<Value> rounded;
    for (Operation &op : plan.front()) {
      if (isa<EvalOp>(op))
        rounded.insert(op.result_begin(), op.result_end());
      else if (auto call = dyn_cast<func::CallOp>(op))
        visit(call, rounded);
    }
  }

private:
  void visit(func::CallOp call, llvm::DenseSet<Value> &rounded) {
    auto function = module.lookupSymbol<func::FuncOp>(call.getCallee());
    if (!function || function.isExternal())
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
        found.push_back({"step", nodeOf(&op), "takes what a program computed in fp16: what is near a step may differ"});
    }
    for (auto [result, value] : llvm::zip_equal(call.getResults(), function.front().getTerminator()->getOperands()))
      if (known.contains(value))
        rounded.insert(result);
  }

  ModuleOp module;
  std::vector<ReportedAdvice> &found;
};
} // namespace

std::vector<ReportedAdvice> mlir::ane::narrowedValues(ModuleOp module) {
  std::vector<ReportedAdvice> found;
  double least = lookupTargetEnv(module).numeric(Numeric::MaskValue);
  HostSteps hostSteps(module, found);
  for (auto function : module.getOps<func::FuncOp>()) {
    auto role = attrs::role.get(function);
    if (role && role.getValue() == "plan" && !function.isExternal())
      hostSteps.visit(function);
    if (!role || role.getValue() != "twin")
      continue;
    llvm::DenseSet<Value> inputs(function.getArguments().begin(), function.getArguments().end());
    for (Operation &op : function.front()) {
      if (keepsElements(&op) && llvm::all_of(op.getOperands(), [&](Value operand) { return inputs.contains(operand); }))
        inputs.insert(op.result_begin(), op.result_end());
      auto isInput = [&](Value operand) { return inputs.contains(operand) || isConstantExpr(operand); };
      if (auto narrow = dyn_cast<NarrowOp>(op))
        found.push_back({narrow.getBecause().str(), nodeOf(&op), textOf(narrow, least)});
      else if (!isConstantExpr(&op) && stepsOnActivations(&op) && !llvm::all_of(op.getOperands(), isInput))
        found.push_back(
            {"step", nodeOf(&op),
             "takes activations as fp16 rounds them, by 2^-11 of themselves: what is near a step, or the sine "
             "of a large angle, may differ"});
    }
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
