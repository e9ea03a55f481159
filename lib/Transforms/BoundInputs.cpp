//===- BoundInputs.cpp - which indices inputs may hold --------------------===//

#include "ane/IR/ConstantExpr.h"
#include "ane/Support/Diagnostics.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_BOUNDINPUTS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

/// The value whose negative elements `select` counts from the end of `size` elements: where(v < 0, v + size, v).
static Value countedFromTheEnd(SelectOp select, int64_t size) {
  auto less = select.getCond().getDefiningOp<LessOp>();
  auto add = select.getA().getDefiningOp<AddOp>();
  Value value = select.getB();
  bool matches = less && add && less.getX() == value && getSplat(less.getY()) == 0.0 && add.getX() == value &&
                 getSplat(add.getY()) == double(size);
  return matches ? value : Value();
}

namespace {
struct Range {
  int64_t min, max;
};

struct BoundInputs : ane::impl::BoundInputsBase<BoundInputs> {
  using BoundInputsBase::BoundInputsBase;
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (auto gather = dyn_cast<GatherOp>(op))
        bound(gather.getIndices(), axisSize(gather.getX(), gather.getAxis()), op);
      else if (auto gather = dyn_cast<GatherAlongAxisOp>(op))
        bound(gather.getIndices(), axisSize(gather.getX(), gather.getAxis()), op);
      else if (auto embedding = dyn_cast<EmbeddingOp>(op))
        bound(embedding.getIndices(), axisSize(embedding.getTable(), 0), op);
    });
  }

private:
  static int64_t axisSize(Value value, int64_t axis) {
    auto shape = cast<RankedTensorType>(value.getType()).getShape();
    return shape[axis < 0 ? axis + int64_t(shape.size()) : axis];
  }

  /// `reader` takes one of `size` slices at each of `indices`. Only ops through which every element passes unchanged
  /// are looked through: an input that is computed on has no bound of its own.
  void bound(Value indices, int64_t size, Operation *reader) {
    Range range = {0, size - 1};
    while (Operation *op = indices.getDefiningOp()) {
      bool moves = isa<ReshapeOp, ExpandDimsOp, SqueezeOp, TransposeOp, IdentityOp>(op) ||
                   (isa<CastOp>(op) && isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0))));
      auto select = dyn_cast<SelectOp>(op);
      if (moves) {
        indices = op->getOperand(0);
      } else if (Value counted = select ? countedFromTheEnd(select, size) : Value()) {
        indices = counted;
        range.min = -size;
      } else {
        return;
      }
    }
    auto argument = cast<BlockArgument>(indices);
    if (argument.getOwner() != &getOperation().front())
      return;
    Builder builder(&getContext());
    std::string node = nodeName(reader->getLoc());
    unsigned index = argument.getArgNumber();
    if (auto known = getOperation().getArgAttrOfType<DictionaryAttr>(index, "ane.range")) {
      int64_t min = known.getAs<IntegerAttr>("min").getInt(), max = known.getAs<IntegerAttr>("max").getInt();
      if (min >= range.min && max <= range.max)
        return;
      range = {std::max(min, range.min), std::min(max, range.max)};
    }
    getOperation().setArgAttr(
        index, "ane.range",
        builder.getDictionaryAttr({
            builder.getNamedAttr("max", builder.getI64IntegerAttr(range.max)),
            builder.getNamedAttr("min", builder.getI64IntegerAttr(range.min)),
            builder.getNamedAttr("reader",
                                 builder.getStringAttr(node.empty() ? reader->getName().getStringRef().str() : node)),
        }));
  }
};
} // namespace
