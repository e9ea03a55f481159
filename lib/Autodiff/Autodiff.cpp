//===- Autodiff.cpp - the gradients of a function -------------------------===//
//
// Activity first: what changes with the weights, and what the loss changes with. Ops between the two are asked whether
// they can be differentiated before anything is built. Then the rules of these ops are called, the last op first, in a
// copy of the function, behind its ops.
//
//===----------------------------------------------------------------------===//

#include "ane/Autodiff/Autodiff.h"
#include "BatchStatistics.h"
#include "Names.h"
#include "ane/Autodiff/Passes.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Inference.h"
#include "ane/IR/Training.h"
#include "ane/Support/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::ane {
#define GEN_PASS_DEF_AUTODIFF
#include "ane/Autodiff/AutodiffPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// What a gradient is asked for: an input, or all constants of a weight.
using Variables = std::map<std::string, SmallVector<Value>>;

static bool isFloat(Value value) { return isa<FloatType>(getElementTypeOrSelf(value)); }

/// Everything that `value` is computed from by way of `active` values: not what it only compares with, or rounds.
static DenseSet<Value> sourcesOf(Value value, const DenseSet<Value> &active) {
  DenseSet<Value> sources{value};
  if (Operation *last = value.getDefiningOp())
    for (Operation *op = last; op; op = op->getPrevNode())
      if (llvm::any_of(op->getResults(),
                       [&](Value result) { return active.contains(result) && sources.contains(result); }))
        sources.insert(op->operand_begin(), op->operand_end());
  return sources;
}

static LogicalResult checkRules(ArrayRef<Operation *> ops, IsActive isActive) {
  LogicalResult status = success();
  for (Operation *op : ops) {
    if (llvm::none_of(op->getResults(), isActive))
      continue;
    auto rule = dyn_cast<DifferentiableOpInterface>(op);
    std::string why = rule ? rule.whyNotDifferentiable(isActive) : "no rule says how";
    if (why.empty())
      continue;
    InFlightDiagnostic error = op->emitOpError() << "can't be differentiated: " << why
                                                 << "; remedy: freeze the weights whose gradients pass it (frozen), or "
                                                 << "differentiate an output that does not depend on it (loss)";
    attachNodeNote(error, op);
    status = error;
  }
  return status;
}

namespace {
struct Autodiff : mlir::ane::impl::AutodiffBase<Autodiff> {
  using AutodiffBase::AutodiffBase;

  /// The inputs and weights that gradients are asked for, and whether a weight has none of its own.
  FailureOr<Variables> findVariables(func::FuncOp target) {
    auto wanted = parsePatterns(target, "wrt", llvm::to_vector(wrt));
    auto kept = parsePatterns(target, "frozen", llvm::to_vector(frozen));
    if (failed(wanted) || failed(kept))
      return failure();
    auto weights = attrs::weights.get(getOperation());
    Variables all = namedWeights(getOperation(), target), result;
    std::vector<std::string> known;
    for (BlockArgument argument : target.getArguments())
      if (isFloat(argument))
        all[inputName(target, argument.getArgNumber())] = {argument};
    llvm::StringSet<> parameters;
    for (auto parameter : getOperation().getOps<ParameterOp>())
      if (!attrs::statistic.isOn(parameter))
        parameters.insert(parameter.getName());
    for (auto &[name, values] : all) {
      known.push_back(name);
      bool isWeight = parameters.empty() ? values.front().getDefiningOp() || (weights && weights.contains(name))
                                         : parameters.contains(name);
      bool isWanted = wrt.empty() ? isWeight : wanted->match(name), isFrozen = kept->match(name);
      if (isWanted && !isFrozen)
        result[name] = values;
    }
    if (failed(checkUsed(target, "wrt", *wanted, known)) || failed(checkUsed(target, "frozen", *kept, known)))
      return failure();
    if (result.empty())
      return target.emitOpError() << "has nothing to differentiate for: "
                                  << (wrt.empty() ? "no weight of it has a name; name inputs (wrt)"
                                                  : "'frozen' names all that 'wrt' does");
    return result;
  }

  /// The ops that are none of a node whose results are taken for constants.
  FailureOr<SmallVector<Operation *>> dropStopped(func::FuncOp target, ArrayRef<Operation *> ops) {
    auto stopped = parsePatterns(target, "stop", llvm::to_vector(stop));
    if (failed(stopped))
      return failure();
    SmallVector<Operation *> rest;
    std::vector<std::string> known;
    for (Operation *op : ops) {
      std::string name = nodeName(op->getLoc());
      if (!name.empty() && (known.empty() || known.back() != name))
        known.push_back(name);
      if (!stopped->match(name) && !attrs::stopsGradient.isOn(op))
        rest.push_back(op);
    }
    if (failed(checkUsed(target, "stop", *stopped, known)))
      return failure();
    return rest;
  }

  /// Drops variables that the loss does not depend on.
  LogicalResult keepActive(func::FuncOp target, Variables &variables, const DenseSet<Value> &active) {
    std::vector<std::string> idle;
    for (auto &[name, values] : variables)
      if (llvm::none_of(values, [&](Value value) { return active.contains(value); }))
        idle.push_back(name);
    if (idle.size() == variables.size())
      return target.emitOpError() << "has a loss that depends on none of " << llvm::join(idle, ", ");
    for (const std::string &name : idle)
      variables.erase(name);
    if (!idle.empty())
      target.emitWarning() << "no gradients of " << llvm::join(idle, ", ") << ": the loss does not depend on them";
    return success();
  }

  /// The gradients, in the order of `variables`. Those of a mean over some of the targets are the smaller the fewer
  /// count (`share`), so that gradients of several batches can be added.
  SmallVector<Value> buildGradients(func::FuncOp target, Value loss, Value share, Variables &variables,
                                    ArrayRef<Operation *> ops, DenseSet<Value> active) {
    Block &body = target.getBody().front();
    SmallVector<std::pair<std::string, Type>> inputs;
    if (lossScale)
      inputs.emplace_back("loss_scale", RankedTensorType::get({}, getElementTypeOrSelf(loss)));
    if (accumulate)
      for (auto &[name, values] : variables)
        inputs.emplace_back("grad." + name, values.front().getType());
    SmallVector<Value> added = addInputs(target, inputs);

    OpBuilder builder(body.getTerminator());
    Composer c(builder, loss.getLoc());
    Gradients gradients(builder, std::move(active));
    Value seed = lossScale ? c.reshape(added.front(), tensorOf(loss).getShape())
                           : createSplat(builder, loss.getLoc(), tensorOf(loss), 1.0);
    gradients.add(loss, share && lossScale ? c.mul(seed, c.castLike(share, seed)) : seed);
    gradients.walkBack(ops);
    SmallVector<Value> results;
    ArrayRef<Value> before = ArrayRef(added).drop_front(lossScale);
    for (auto &[name, values] : variables) {
      Value total;
      for (Value value : values)
        if (Value part = gradients.of(value))
          total = total ? c.add(total, part) : part;
      if (!total) // the loss changes with it only by steps
        total = createSplat(builder, loss.getLoc(), tensorOf(values.front()), 0);
      results.push_back(accumulate ? c.add(before[results.size()], total) : total);
    }
    return results;
  }

  LogicalResult run(func::FuncOp target, StringRef newName) {
    auto isScalar = [](RankedTensorType type) {
      return isa<FloatType>(type.getElementType()) && type.getNumElements() == 1;
    };
    FailureOr<unsigned> output = findOutput(target, loss, isScalar, "a scalar of floats");
    if (failed(output))
      return failure();
    FailureOr<Variables> variables = findVariables(target);
    if (failed(variables))
      return failure();
    Block &body = target.getBody().front();
    std::map<std::string, Value> next;
    if (failed(useBatchStatistics(target, next)))
      return failure();
    Value share;
    for (unsigned i = 0; i < target.getNumResults(); ++i)
      if (outputName(target, i) == lossShareName)
        share = body.getTerminator()->getOperand(i);
    Value lossValue = body.getTerminator()->getOperand(*output);
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    DenseSet<Value> active;
    for (auto &[name, values] : *variables)
      active.insert(values.begin(), values.end());
    FailureOr<SmallVector<Operation *>> moving = dropStopped(target, ops);
    if (failed(moving))
      return failure();
    spreadActivity(*moving, active);
    DenseSet<Value> sources = sourcesOf(lossValue, active);
    for (Value value : llvm::to_vector(active))
      if (!sources.contains(value))
        active.erase(value);
    if (failed(keepActive(target, *variables, active)) ||
        failed(checkRules(ops, [&](Value value) { return active.contains(value); })))
      return failure();

    std::vector<std::string> names{outputName(target, *output)};
    for (auto &[name, values] : *variables)
      names.push_back("grad." + name);
    SmallVector<Value> outputs{lossValue};
    llvm::append_range(outputs, buildGradients(target, lossValue, share, *variables, ops, std::move(active)));
    if (share) {
      names.push_back(lossShareName.str());
      outputs.push_back(share);
    }
    for (auto &[name, value] : next) {
      names.push_back("next." + name);
      outputs.push_back(value);
    }
    body.getTerminator()->setOperands({});
    target.eraseResults(llvm::BitVector(target.getNumResults(), true));
    addOutputs(target, outputs, names);
    // What rules have built for operands that are not active.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
    target.setSymName(newName);
    return success();
  }

  void runOnOperation() override {
    func::FuncOp original = findFunction(getOperation(), function);
    if (!original)
      return signalPassFailure();
    std::string newName = name.empty() ? function + "_gradients" : name;
    if (getOperation().lookupSymbol(newName)) {
      getOperation().emitError() << "name=" << newName << ": the module has a symbol of that name";
      return signalPassFailure();
    }
    // A copy, which is dropped after an error.
    OwningOpRef<func::FuncOp> copy = original.clone();
    attrs::bucket.remove(*copy);
    if (failed(run(*copy, newName)))
      return signalPassFailure();
    getOperation().insert(std::next(original->getIterator()), copy.release());
  }
};
} // namespace
