//===- BoundInputs.cpp - which indices inputs may hold --------------------===//

#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/IR/FunctionAttrs.h"
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
  Operation *reader;
};

struct BoundInputs : mlir::ane::impl::BoundInputsBase<BoundInputs> {
  using BoundInputsBase::BoundInputsBase;
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    ranges.assign(function.getNumArguments(), std::nullopt);
    function.walk([&](Operation *op) {
      if (auto gather = dyn_cast<GatherOp>(op))
        bound(gather.getIndices(), gather.getX().getType().getDimSize(gather.getAxisFromFront()), op);
      else if (auto gather = dyn_cast<GatherAlongAxisOp>(op))
        bound(gather.getIndices(), gather.getX().getType().getDimSize(gather.getAxisFromFront()), op);
      else if (auto embedding = dyn_cast<EmbeddingOp>(op))
        bound(embedding.getIndices(), embedding.getTable().getType().getDimSize(0), op);
    });
    setArgAttrs(function, attrs::range,
                llvm::map_to_vector(ranges, [&](const std::optional<Range> &range) -> Attribute {
                  return range ? attributeOf(*range) : DictionaryAttr();
                }));
  }

private:
  /// `reader` takes one of `size` slices at each of `indices`. Only ops through which every element passes unchanged
  /// are looked through: an input that is computed on has no bound of its own.
  void bound(Value indices, int64_t size, Operation *reader) {
    Range range = {0, size - 1, reader};
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
    std::optional<Range> &known = ranges[argument.getArgNumber()];
    if (known && known->min >= range.min && known->max <= range.max)
      return;
    if (known)
      range = {std::max(known->min, range.min), std::min(known->max, range.max), reader};
    known = range;
  }

  DictionaryAttr attributeOf(const Range &range) {
    Builder builder(&getContext());
    std::string node = nodeName(range.reader->getLoc());
    if (node.empty())
      node = range.reader->getName().getStringRef().str();
    return builder.getDictionaryAttr({builder.getNamedAttr("max", builder.getI64IntegerAttr(range.max)),
                                      builder.getNamedAttr("min", builder.getI64IntegerAttr(range.min)),
                                      builder.getNamedAttr("reader", builder.getStringAttr(node))});
  }

  SmallVector<std::optional<Range>> ranges; // of each argument
};
} // namespace
