//===- MakeTraining.cpp - the functions that a trainer calls --------------===//

#include "Names.h"
#include "Sweeps.h"
#include "ane/Autodiff/Passes.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Training.h"
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

  static void keepOnlyOutput(func::FuncOp target, unsigned index) {
    llvm::BitVector dropped(target.getNumResults(), true);
    dropped.reset(index);
    Operation *end = target.front().getTerminator();
    end->setOperands(ValueRange(end->getOperand(index)));
    target.eraseResults(dropped);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(target.front())))
      if (isOpTriviallyDead(&op))
        op.erase();
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
    llvm::StringSet<> differentiated;
    for (unsigned i = 1; i < step.getNumResults(); ++i)
      differentiated.insert(StringRef(outputName(step, i)).substr(StringRef("grad.").size()));
    int64_t elements = 0;
    for (auto parameter : llvm::make_early_inc_range(module.getOps<ParameterOp>())) {
      if (differentiated.contains(parameter.getName())) {
        elements += cast<RankedTensorType>(parameter.getType()).getNumElements();
        continue;
      }
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
    keepOnlyOutput(evaluation, *loss);
    for (auto [function, name] : {std::pair(evaluation, "evaluate"), std::pair(step, "train")}) {
      if (Operation *other = module.lookupSymbol(name); other && other != function)
        return other->emitError() << "is called '" << name << "', which training needs for a function of its own";
      if (failed(SymbolTable(module).rename(function, name)))
        return failure();
    }
    Builder builder(module.getContext());
    int64_t sweep = std::min(mostElements, int64_t(llvm::alignTo(elements, 1024)));
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
    fields.push_back(builder.getNamedAttr("sweep", builder.getI64IntegerAttr(sweep)));
    attrs::trainable.remove(module);
    module->setAttr(trainingName, builder.getDictionaryAttr(fields));
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
