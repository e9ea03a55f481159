//===- WeightsAsInputs.cpp - inputs in place of weights -------------------===//
//
// What is trained is kept in fp32, whatever the model's file has: a weight of 16 bits, or in blocks, becomes an input
// of fp32 where the model widens it.
//
//===----------------------------------------------------------------------===//

#include "FindParameters.h"
#include "ane/Autodiff/Passes.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Inference.h"
#include "ane/IR/Training.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_WEIGHTSASINPUTS
#include "ane/Autodiff/AutodiffPasses.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
/// Where a function reads a weight.
struct Uses {
  SmallVector<Value> wide;   // values of the parameter's type
  SmallVector<Value> narrow; // floats of fewer bits, which something else reads than casts to that type
};

struct WeightsAsInputs : mlir::ane::impl::WeightsAsInputsBase<WeightsAsInputs> {
  using WeightsAsInputsBase::WeightsAsInputsBase;

  static Type wideType(Type element) {
    return element.isF64() ? element : Type(Float32Type::get(element.getContext()));
  }

  static Uses usesOf(ArrayRef<Value> constants) {
    Uses uses;
    for (Value constant : constants) {
      Type element = getElementTypeOrSelf(constant);
      if (element == wideType(element)) {
        uses.wide.push_back(constant);
        continue;
      }
      bool isNarrow = false;
      for (Operation *user : constant.getUsers()) {
        bool widens = isa<CastOp, ConstexprBlocksOp>(user) && getElementTypeOrSelf(user->getResult(0)).isF32();
        if (widens)
          uses.wide.push_back(user->getResult(0));
        isNarrow |= !widens;
      }
      if (isNarrow && isa<FloatType>(element))
        uses.narrow.push_back(constant);
    }
    return uses;
  }

  /// The parameter, with the value that it begins with.
  void addParameter(func::FuncOp target, StringRef name, Value value, bool isStatistic) {
    for (auto known : getOperation().getOps<ParameterOp>())
      if (known.getName() == name)
        return;
    OpBuilder builder(target);
    auto parameter = builder.create<ParameterOp>(value.getLoc(), name, tensorOf(value));
    if (isStatistic)
      attrs::statistic.set(parameter, builder.getUnitAttr());
    builder.setInsertionPointToStart(&parameter.getBody().emplaceBlock());
    IRMapping mapping;
    builder.create<YieldOp>(value.getLoc(), cloneConstantExpr(builder, value, mapping));
  }

  /// The engine's op takes only constant slopes.
  static void spellOut(PreluOp op) {
    OpBuilder builder(op);
    Composer c(builder, op.getLoc());
    Value x = op.getX(), slope = c.perChannel(c.castLike(op.getAlpha(), x), x);
    op.getResult().replaceAllUsesWith(c.make<SelectOp>(c.make<GreaterOp>(x, c.scalar(x, 0)), x, c.mul(x, slope)));
    op.erase();
  }

  /// What the file lists and nothing trains.
  static void warnOfLost(func::FuncOp target, const ParameterChoice &choice) {
    constexpr size_t shown = 20;
    auto rest = [&](const auto &names) { return names.size() > shown ? ", ..." : ""; };
    if (choice.lost.empty())
      return;
    InFlightDiagnostic warning = target.emitWarning();
    warning << "no gradients of " << llvm::join(ArrayRef(choice.lost).take_front(shown), ", ") << rest(choice.lost)
            << ": the file lists them as parameters, but its exporter has left them out or computed other constants of "
               "them";
    if (!choice.folded.empty()) {
      warning << ", of which these are not trained: ";
      llvm::interleaveComma(ArrayRef(choice.folded).take_front(shown), warning,
                            [&](StringAttr name) { warning << name.getValue(); });
      warning << rest(choice.folded);
    }
    warning << "; remedy: an export without folding (optimize=False), --trainable=NAME for such a constant, or "
               "--freeze=NAME of those that are not meant to be trained";
  }

  LogicalResult run() {
    func::FuncOp target = findFunction(getOperation(), function);
    if (!target)
      return failure();
    auto wanted = parsePatterns(target, "weights", llvm::to_vector(weights));
    auto kept = parsePatterns(target, "frozen", llvm::to_vector(frozen));
    if (failed(wanted) || failed(kept))
      return failure();
    ParameterChoice choice = findParameters(getOperation(), target, *wanted, *kept);
    if (failed(checkUsed(target, "weights", *wanted, choice.known)) ||
        failed(checkUsed(target, "frozen", *kept, choice.known)))
      return failure();
    SmallVector<std::pair<std::string, Type>> inputs;
    SmallVector<Uses> places;
    auto take = [&](const std::string &name, ArrayRef<Value> constants) {
      Uses uses = usesOf(constants);
      if (uses.wide.empty() && uses.narrow.empty())
        return;
      auto type = cast<RankedTensorType>((uses.wide.empty() ? uses.narrow : uses.wide).front().getType());
      inputs.emplace_back(name, type.clone(wideType(type.getElementType())));
      places.push_back(std::move(uses));
    };
    for (auto *group : {&choice.trained, &choice.statistics})
      for (auto &[name, constants] : *group)
        take(name, constants);
    if (choice.trained.empty())
      return target.emitError() << "the model has no parameter to train: "
                                << (choice.known.empty() ? "none of its weights has a name"
                                                         : "no layer reads a weight that is not frozen; name weights "
                                                           "by --trainable, of ")
                                << llvm::join(ArrayRef(choice.known).take_front(20), ", ");
    warnOfLost(target, choice);
    SmallVector<Value> added = addInputs(target, inputs);
    auto builder = OpBuilder::atBlockBegin(&target.front());
    for (auto [input, uses, named] : llvm::zip_equal(added, places, inputs)) {
      Value first = (uses.wide.empty() ? uses.narrow : uses.wide).front();
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointAfterValue(first);
      bool isWide = first.getType() == input.getType();
      Value value =
          isWide ? first : builder.create<CastOp>(first.getLoc(), first, getElementTypeOrSelf(input)).getResult();
      addParameter(target, named.first, value, choice.statistics.count(named.first) != 0);
      if (!isWide)
        value.getDefiningOp()->erase();
    }
    for (auto [input, uses] : llvm::zip_equal(added, places)) {
      for (Value wide : uses.wide)
        wide.replaceAllUsesWith(input);
      for (Value narrow : uses.narrow)
        narrow.replaceAllUsesWith(
            builder.create<CastOp>(narrow.getLoc(), input, getElementTypeOrSelf(narrow)).getResult());
    }
    for (auto op : llvm::make_early_inc_range(target.getOps<PreluOp>()))
      if (!isConstantExpr(op.getAlpha()))
        spellOut(op);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(target.front())))
      if (isOpTriviallyDead(&op) && isConstantExpr(&op))
        op.erase();
    return success();
  }
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }
};
} // namespace
