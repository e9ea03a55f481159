//===- LegalizeLayout.cpp - channels first --------------------------------===//

#include "RelayoutPatterns.h"
#include "ane/Constraint/Origin.h"
#include "ane/Constraint/TargetEnv.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZELAYOUT
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// A relayout and the shape that it gives.
struct LayoutChoice {
  Relayout layout;
  SmallVector<int64_t> shape;
  bool operator==(const LayoutChoice &other) const { return layout == other.layout && shape == other.shape; }
};

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The layout that most of the ops downstream of `argument` want: element-wise ops keep the shape and pass the question
/// on, the first relayout on each path answers it. Nothing if nobody moves an element, and the argument has at most
/// `maxRank` axes. The nearest ops are asked: thousands of arguments may meet in one long sum.
static std::optional<LayoutChoice> wantedLayout(BlockArgument argument, int64_t maxRank) {
  constexpr unsigned maxAsked = 256;
  unsigned asked = 0;
  SmallVector<std::pair<LayoutChoice, unsigned>> votes;
  llvm::SmallSetVector<Value, 16> values;
  values.insert(argument);
  for (size_t i = 0; i < values.size(); ++i)
    for (Operation *user : values[i].getUsers()) {
      if (++asked > maxAsked)
        break;
      if (auto relayout = dyn_cast<RelayoutOp>(user)) {
        if (relayout.getRelayout().isReshape() && typeOf(argument).getRank() <= maxRank)
          continue;
        LayoutChoice choice{relayout.getRelayout().normalized(), llvm::to_vector(typeOf(relayout).getShape())};
        auto *vote = llvm::find_if(votes, [&](auto &v) { return v.first == choice; });
        if (vote == votes.end())
          votes.push_back({choice, 1});
        else
          ++vote->second;
      } else if (user->hasTrait<BroadcastElementwise>() && user->getNumResults() == 1 &&
                 typeOf(user->getResult(0)).getShape() == typeOf(argument).getShape()) {
        values.insert(user->getResult(0));
      }
    }
  if (votes.empty())
    return std::nullopt;
  return llvm::max_element(votes, [](auto &a, auto &b) { return a.second < b.second; })->first;
}

namespace {
struct LegalizeLayout : mlir::ane::impl::LegalizeLayoutBase<LegalizeLayout> {
  using LegalizeLayoutBase::LegalizeLayoutBase;
  void runOnOperation() override;

private:
  LogicalResult apply(void (*populate)(RewritePatternSet &)) {
    RewritePatternSet patterns(&getContext());
    populate(patterns);
    OriginListener listener;
    GreedyRewriteConfig config;
    config.listener = &listener;
    config.useTopDownTraversal = true;
    config.maxIterations = 64; // a relayout sinks through a whole layer in few of them
    config.enableRegionSimplification = GreedySimplifyRegionLevel::Disabled;
    return applyPatternsAndFoldGreedily(getOperation().getEngine(), std::move(patterns), config);
  }

  /// The argument is declared in the layout `choice`; its users see it moved back.
  void giveLayout(BlockArgument argument, const LayoutChoice &choice, const TwinPlaces &twin) {
    EngineBuilder builder(argument.getOwner(), argument.getOwner()->begin(), twin.readersOf(argument.getArgNumber()));
    auto plain = typeOf(argument);
    Attribute &layout = inputLayouts[argument.getArgNumber()];
    auto old = cast<LayoutAttr>(layout);
    auto composed = Relayout{llvm::to_vector(old.getExpand()), llvm::to_vector(old.getPerm())}.then(choice.layout);
    if (!composed)
      return;
    argument.setType(plain.clone(choice.shape));
    auto back = RelayoutOp::create(builder, argument.getLoc(), argument, choice.layout.inverse(), plain.getShape());
    argument.replaceAllUsesExcept(back, back);
    layout = LayoutAttr::get(&getContext(), composed->expand, composed->perm);
  }

  /// What a result's relayout does is done by whoever reads the surface.
  void absorbIntoResults() {
    Operation *yield = getOperation().getEngine().front().getTerminator();
    for (OpOperand &operand : yield->getOpOperands()) {
      auto relayout = operand.get().getDefiningOp<RelayoutOp>();
      if (!relayout)
        continue;
      Attribute &layout = outputLayouts[operand.getOperandNumber()];
      auto old = cast<LayoutAttr>(layout);
      Relayout toSurface{llvm::to_vector(old.getExpand()), llvm::to_vector(old.getPerm())};
      auto composed = toSurface.then(relayout.getRelayout().inverse());
      if (!composed)
        continue;
      operand.set(relayout.getX());
      if (relayout->use_empty())
        relayout->erase();
      layout = LayoutAttr::get(&getContext(), composed->expand, composed->perm);
    }
  }

  SmallVector<Attribute> inputLayouts, outputLayouts;
};
} // namespace

void LegalizeLayout::runOnOperation() {
  // What cancels or vanishes into a product by itself must not vote on the arguments' layouts.
  if (failed(apply(populateRaiseRelayoutPatterns)) || failed(apply(populateSinkRelayoutPatterns)))
    return signalPassFailure();
  IslandOp island = getOperation();
  inputLayouts = llvm::to_vector(island.getInputLayouts().getValue());
  outputLayouts = llvm::to_vector(island.getOutputLayouts().getValue());
  int64_t maxRank = lookupTargetEnv(getOperation()).limit(Limit::Rank);
  TwinPlaces twin(island);
  for (BlockArgument argument : island.getEngine().getArguments())
    if (auto choice = wantedLayout(argument, maxRank))
      giveLayout(argument, *choice, twin);
  if (failed(apply(populateSinkRelayoutPatterns)))
    return signalPassFailure();
  absorbIntoResults();
  island.setInputLayoutsAttr(ArrayAttr::get(&getContext(), inputLayouts));
  island.setOutputLayoutsAttr(ArrayAttr::get(&getContext(), outputLayouts));
}
