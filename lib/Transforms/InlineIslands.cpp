//===- InlineIslands.cpp - engine regions back into their function --------===//

#include "ane/IR/Builders.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/Relayout.h"
#include "ane/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::ane {
#define GEN_PASS_DEF_INLINEISLANDS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

namespace {
struct InlineIslands : mlir::ane::impl::InlineIslandsBase<InlineIslands> {
  using InlineIslandsBase::InlineIslandsBase;
  void runOnOperation() override {
    for (auto island : llvm::make_early_inc_range(getOperation().getOps<IslandOp>()))
      inlineIsland(island);
  }

  static Value castTo(Composer &c, Value value, Type element) {
    return typeOf(value).getElementType() == element ? value : c.make<CastOp>(value, element);
  }

  /// As the runtime packs a surface (#ane.layout).
  static Value pack(Composer &c, Value value, LayoutAttr layout, RankedTensorType surface) {
    value = castTo(c, value, surface.getElementType());
    return c.reshape(c.transpose(c.reshape(value, layout.getExpand()), layout.getPerm()), surface.getShape());
  }

  static Value unpack(Composer &c, Value value, LayoutAttr layout, RankedTensorType plan) {
    Relayout back = Relayout{llvm::to_vector(layout.getExpand()), llvm::to_vector(layout.getPerm())}.inverse();
    value = c.reshape(c.transpose(c.reshape(value, back.expand), back.perm), plan.getShape());
    return castTo(c, value, plan.getElementType());
  }

  void inlineIsland(IslandOp island) {
    OpBuilder builder(island);
    Composer c(builder, island.getLoc());
    Block &engine = island.getEngine().front();
    IRMapping mapping;
    for (auto [argument, input, layout] :
         llvm::zip_equal(engine.getArguments(), island.getInputs(), island.getInputLayouts()))
      mapping.map(argument, pack(c, input, cast<LayoutAttr>(layout), typeOf(argument)));
    for (Operation &op : engine.without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      attrs::from.remove(copy); // places in the twin
    }
    for (auto [result, value, layout] :
         llvm::zip_equal(island.getResults(), engine.getTerminator()->getOperands(), island.getOutputLayouts()))
      result.replaceAllUsesWith(unpack(c, mapping.lookup(value), cast<LayoutAttr>(layout), typeOf(result)));
    island.erase();
  }
};
} // namespace
