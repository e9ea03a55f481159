//===- LegalizeRope.cpp - rotary embedding as one small product -----------===//
//
// The pairs change places by a product with a constant matrix of -1/2, 0 and 1/2, which is exact: what leaves a product
// ends at half of fp16's range (C77). The sines are doubled instead. The decomposition would take x apart and join it
// again, and there is no concat on the engine (C01). A linear it is, because products with a constant are convolutions
// (C17).
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZEROPE
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The weight [D, D] of a linear that gives -b/2 and a/2 in the places of each pair (a, b).
static Value turningMatrix(OpBuilder &builder, Location loc, Type element, int64_t width, bool interleaved) {
  SmallVector<Attribute> entries(width * width, builder.getFloatAttr(element, 0.0));
  for (int64_t i = 0; i < width / 2; ++i) {
    int64_t a = interleaved ? 2 * i : i, b = interleaved ? 2 * i + 1 : i + width / 2;
    entries[a * width + b] = builder.getFloatAttr(element, -0.5);
    entries[b * width + a] = builder.getFloatAttr(element, 0.5);
  }
  return builder.create<ConstOp>(loc, DenseElementsAttr::get(RankedTensorType::get({width, width}, element), entries));
}

/// A table of one value for each pair, with one for each element.
static Value forElements(OpBuilder &builder, Location loc, Value table, bool interleaved) {
  Composer b(builder, loc);
  RankedTensorType type = typeOf(table);
  if (type.getRank() == 0 || type.getShape().back() == 1)
    return table;
  if (!interleaved)
    return b.make<ConcatOp>(ValueRange{table, table}, type.getRank() - 1);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() *= 2;
  return b.reshape(b.make<StackOp>(ValueRange{table, table}, type.getRank()), shape);
}

namespace {
struct LegalizeRope : ane::impl::LegalizeRopeBase<LegalizeRope> {
  using LegalizeRopeBase::LegalizeRopeBase;
  void runOnOperation() override {
    for (RopeOp op : llvm::make_early_inc_range(getOperation().getEngine().getOps<RopeOp>())) {
      // Tables that are computed are doubled by a concat of their own: the decomposition does no worse.
      if (!isConstantExpr(op.getCos()) || !isConstantExpr(op.getSin()))
        continue;
      EngineBuilder builder(op);
      Composer b(builder, op.getLoc());
      bool interleaved = op.getLayout() == "interleaved";
      RankedTensorType type = op.getType();
      Value matrix = turningMatrix(builder, op.getLoc(), type.getElementType(), type.getShape().back(), interleaved);
      Value turned = b.make<LinearOp>(op.getX(), matrix, Value());
      Value sum = b.add(b.mul(op.getX(), forElements(builder, op.getLoc(), op.getCos(), interleaved)),
                        b.mul(turned, b.mul(forElements(builder, op.getLoc(), op.getSin(), interleaved), 2.0)));
      op.replaceAllUsesWith(sum);
      op.erase();
    }
  }
};
} // namespace
