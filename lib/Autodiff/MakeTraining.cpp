//===- MakeTraining.cpp - the functions that a trainer calls --------------===//

#include "Fingerprint.h"
#include "Names.h"
#include "Sweeps.h"
#include "ane/Autodiff/Passes.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/Training.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_MAKETRAINING
#include "ane/Autodiff/AutodiffPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// Elements of a sweep: as many as a thread of each processor can share, and few beside a model, as the last sweep is
/// filled up. The arrays of an optimiser take 4 MB of a cache.
static constexpr int64_t mostElements = 1 << 18;

namespace {
struct MakeTraining : mlir::ane::impl::MakeTrainingBase<MakeTraining> {
  using MakeTrainingBase::MakeTrainingBase;

  static std::optional<unsigned> findInput(func::FuncOp target, StringRef name) {
    for (unsigned i = 0; i < target.getNumArguments(); ++i)
      if (inputName(target, i) == name)
        return i;
    return std::nullopt;
  }

  /// Has the function compute with what the parameter begins with.
  static void makeConstant(func::FuncOp target, ParameterOp parameter) {
    std::optional<unsigned> index = findInput(target, parameter.getName());
    if (!index)
      return;
    auto builder = OpBuilder::atBlockBegin(&target.front());
    IRMapping mapping;
    BlockArgument argument = target.getArgument(*index);
    if (!argument.use_empty())
      argument.replaceAllUsesWith(cloneConstantExpr(builder, parameter.getValue(), mapping));
    target.eraseArgument(*index);
  }

  /// Why the bundle can't have the parameter as a weight with other values later; nothing where it can: a named weight
  /// of fp32 that does not stand in a program's text, and of which nothing is computed before a function runs, but for
  /// where its elements are and in how many bits. Of what later phases compute, the bundle's writer tells.
  std::optional<std::string> whyInput(ParameterOp parameter, ArrayRef<Value> arguments,
                                      const DenseSet<Value> &parameters) {
    auto initial = parameter.getValue().getDefiningOp<ConstOp>();
    auto names = attrs::weights.get(getOperation());
    auto named = names ? dyn_cast_or_null<WeightAttr>(names.get(parameter.getName())) : WeightAttr();
    if (Type there = named ? getElementTypeOrSelf(named.getType()) : Type(); there && !there.isF32())
      return "the model's file has it as " + (there.isInteger() ? "integers" : getDtypeName(there)) +
             ", and it is trained in fp32";
    if (!named || !initial || initial.getValue() != named)
      return "the model computes it from what its file has";
    if (int64_t count = initial.getType().getNumElements(); count < inlineElements)
      return "it has " + std::to_string(count) + " elements; below " + std::to_string(inlineElements) +
             " they are numbers in the text of a program";
    SmallVector<Value> same(arguments);
    while (!same.empty())
      for (Operation *user : same.pop_back_val().getUsers()) {
        bool isMoved = isa<StridedViewOpInterface, CastOp>(user);
        if (isMoved)
          llvm::append_range(same, user->getResults());
        bool isRest = llvm::all_of(user->getOperands(), [&](Value operand) {
          return isConstantExpr(operand) || parameters.contains(operand);
        });
        if (isRest && !isMoved && !user->hasTrait<OpTrait::IsTerminator>())
          return "'" + user->getName().getStringRef().str() + "' would be computed of it before a run";
        if (isa<BatchNormOp, GroupNormOp, InstanceNormOp, LayerNormOp, RmsNormOp>(user))
          return "'" + user->getName().getStringRef().str() +
                 "' reads it, whose scales get factors of statistics or of the number of elements";
      }
    return std::nullopt;
  }

  /// Makes weights of what can be weights. The module says which.
  LogicalResult bake(ArrayRef<func::FuncOp> functions) {
    auto kept = parsePatterns(getOperation(), "unbaked", llvm::to_vector(unbaked));
    if (failed(kept))
      return failure();
    std::vector<std::string> known;
    SmallVector<StringRef> names;
    SmallVector<ParameterOp> chosen;
    std::string first; // of those that stay inputs, and why
    size_t others = 0;
    DenseSet<Value> parameters;
    for (func::FuncOp function : functions)
      llvm::set_union(parameters, parametersOf(function));
    llvm::StringMap<SmallVector<Value>> arguments;
    for (Value value : parameters) {
      auto argument = cast<BlockArgument>(value);
      arguments[inputName(cast<func::FuncOp>(argument.getOwner()->getParentOp()), argument.getArgNumber())].push_back(
          argument);
    }
    for (auto parameter : getOperation().getOps<ParameterOp>()) {
      known.push_back(parameter.getName().str());
      if (kept->match(parameter.getName()) || attrs::statistic.isOn(parameter))
        continue;
      StringRef name = parameter.getName();
      if (std::optional<std::string> why = whyInput(parameter, arguments[name], parameters)) {
        if (others++ == 0)
          first = ("'" + name + "': " + *why).str();
        continue;
      }
      names.push_back(name);
      chosen.push_back(parameter);
    }
    if (failed(checkUsed(getOperation(), "unbaked", *kept, known)))
      return failure();
    const std::string rest = others > 1 ? "; and " + std::to_string(others - 1) + " more" : "";
    if (names.empty())
      return getOperation().emitError() << "--parameters=baked: no parameter can be a weight of programs, not " << first
                                        << rest << "; remedy: --parameters=inputs, or a file of the model with fp32";
    if (others)
      getOperation().emitWarning() << "--parameters=baked: " << names.size()
                                   << " parameters are weights of programs; an input stays " << first << rest
                                   << "; --unbaked=PATTERN says that this is meant";
    for (ParameterOp parameter : chosen)
      for (func::FuncOp each : functions)
        makeConstant(each, parameter);
    llvm::sort(names);
    attrs::trainable.set(getOperation(), Builder(&getContext()).getStrArrayAttr(names));
    return success();
  }

  static void keepOnlyLoss(func::FuncOp target, unsigned index) {
    llvm::BitVector dropped(target.getNumResults(), true);
    Operation *end = target.front().getTerminator();
    SmallVector<Value> kept;
    for (unsigned i = 0; i < target.getNumResults(); ++i)
      if (i == index || outputName(target, i) == lossShareName) {
        dropped.reset(i);
        kept.push_back(end->getOperand(i));
      }
    end->setOperands(kept);
    target.eraseResults(dropped);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(target.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  /// Of how many classes the target is; 0: it is no class. That some targets do not count is for the trainer to know.
  int64_t takeClasses(ArrayRef<func::FuncOp> functions) {
    int64_t classes = 0;
    for (func::FuncOp function : functions)
      if (std::optional<unsigned> index = findInput(function, target); index && !target.empty())
        if (DictionaryAttr range = attrs::range.ofArgument(function, *index)) {
          classes = range.getAs<IntegerAttr>("max").getInt() + 1;
          function.removeArgAttr(*index, attrs::range);
        }
    return classes;
  }

  LogicalResult run() {
    ModuleOp module = getOperation();
    func::FuncOp evaluation = findFunction(module, function), step = findFunction(module, gradients);
    if (!evaluation || !step)
      return failure();
    if (!findInput(step, "loss_scale"))
      return step.emitOpError() << "has no input 'loss_scale': it is made by ane-autodiff=loss-scale=true";
    if (!target.empty() && !findInput(step, target))
      return step.emitOpError() << "has no input '" << target << "' (target)";
    llvm::StringSet<> differentiated, moved;
    for (unsigned i = 1; i < step.getNumResults(); ++i) {
      std::string output = outputName(step, i);
      StringRef name = output;
      if (name.consume_front("grad."))
        differentiated.insert(name);
      else if (name.consume_front("next."))
        moved.insert(name);
    }
    int64_t elements = 0;
    for (auto parameter : llvm::make_early_inc_range(module.getOps<ParameterOp>())) {
      if (differentiated.contains(parameter.getName())) {
        elements += cast<RankedTensorType>(parameter.getType()).getNumElements();
        continue;
      }
      if (moved.contains(parameter.getName()))
        continue;
      for (func::FuncOp each : {evaluation, step})
        makeConstant(each, parameter);
      parameter.erase();
    }
    if (elements == 0)
      return step.emitOpError() << "has no gradient of a parameter (ane-weights-as-inputs)";
    std::string lossName = outputName(step, 0);
    FailureOr<unsigned> loss =
        findOutput(evaluation, lossName, [](RankedTensorType type) { return type.getNumElements() == 1; }, "the loss");
    if (failed(loss))
      return failure();
    keepOnlyLoss(evaluation, *loss);
    ArrayAttr graph = fingerprintOf(module, evaluation);
    for (func::FuncOp each : {evaluation, step})
      for (auto op : llvm::make_early_inc_range(each.getOps<IdentityOp>()))
        op.getResult().replaceAllUsesWith(op.getX());
    for (auto [function, name] : {std::pair(evaluation, "evaluate"), std::pair(step, "train")}) {
      if (Operation *other = module.lookupSymbol(name); other && other != function)
        return other->emitError() << "is called '" << name << "', which training needs for a function of its own";
      if (failed(SymbolTable(module).rename(function, name)))
        return failure();
    }
    Builder builder(module.getContext());
    int64_t sweep = std::min(mostElements, int64_t(llvm::alignTo(elements, sweepRow)));
    SmallVector<NamedAttribute> fields = createSweeps(module, sweep);
    auto text = [&](StringRef name, StringRef value) {
      fields.push_back(builder.getNamedAttr(name, builder.getStringAttr(value)));
    };
    text("step", "train");
    text("evaluate", "evaluate");
    text("loss", this->loss);
    text("target", target);
    text("loss_scale", "loss_scale");
    fields.push_back(builder.getNamedAttr("ignore", builder.getI64IntegerAttr(ignore)));
    fields.push_back(builder.getNamedAttr("classes", builder.getI64IntegerAttr(takeClasses({evaluation, step}))));
    fields.push_back(builder.getNamedAttr("graph", graph));
    fields.push_back(builder.getNamedAttr("sweep", builder.getI64IntegerAttr(sweep)));
    attrs::trainable.remove(module);
    if (baked && failed(bake({evaluation, step})))
      return failure();
    module->setAttr(trainingName, builder.getDictionaryAttr(fields));
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
