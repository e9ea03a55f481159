//===- BeginEngineBody.cpp - copy the twin into the engine region ---------===//

#include "ane/Constraint/Origin.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::ane {
#define GEN_PASS_DEF_BEGINENGINEBODY
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// The layout that moves nothing.
static Attribute plainLayout(Type type) {
  int64_t elements = cast<RankedTensorType>(type).getNumElements();
  return LayoutAttr::get(type.getContext(), {elements}, {0});
}

namespace {
struct BeginEngineBody : mlir::ane::impl::BeginEngineBodyBase<BeginEngineBody> {
  using BeginEngineBodyBase::BeginEngineBodyBase;
  void runOnOperation() override {
    IslandOp island = getOperation();
    if (!island.getEngine().empty())
      return;
    IRMapping mapping;
    island.getTwin().cloneInto(&island.getEngine(), mapping);
    for (auto [place, op] : llvm::enumerate(island.getEngine().front().without_terminator()))
      if (!isConstantExpr(&op))
        setOrigin(&op, int64_t(place));
    Builder builder(&getContext());
    island.setInputLayoutsAttr(builder.getArrayAttr(llvm::map_to_vector(island.getInputs().getTypes(), plainLayout)));
    island.setOutputLayoutsAttr(builder.getArrayAttr(llvm::map_to_vector(island.getResultTypes(), plainLayout)));
  }
};
} // namespace
