//===- LegalizeRope.cpp - rotary embedding as one small product -----------===//
//
// The pairs change places by a product with a constant matrix of -1/2, 0 and 1/2, which is exact: what leaves a product
// ends at half of fp16's range (C77). The sines are doubled instead. The decomposition would take x apart and join it
// again, and there is no concat on the engine (C01). A linear it is, because products with a constant are convolutions
// (C17). Another such product gives tables of neighbours, which a run computes, a value for each element.
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

/// The weight [D, D / 2] of a linear that gives half of each pair's value in the places of both of its elements.
static Value doublingMatrix(OpBuilder &builder, Location loc, Type element, int64_t pairs) {
  SmallVector<Attribute> entries(2 * pairs * pairs, builder.getFloatAttr(element, 0.0));
  for (int64_t i = 0; i < 2 * pairs; ++i)
    entries[i * pairs + i / 2] = builder.getFloatAttr(element, 0.5);
  auto type = RankedTensorType::get({2 * pairs, pairs}, element);
  return builder.create<ConstOp>(loc, DenseElementsAttr::get(type, entries));
}

/// A table of one value for each pair, with one for each element.
static Value forElements(OpBuilder &builder, Location loc, Value table, bool interleaved) {
  Composer b(builder, loc);
  RankedTensorType type = typeOf(table);
  if (type.getRank() == 0 || type.getShape().back() == 1)
    return table;
  if (!interleaved)
    return b.make<ConcatOp>(ValueRange{table, table}, type.getRank() - 1);
  // A computed table can't be doubled by moves: they would take one axis more than the engine has.
  if (!isConstantExpr(table))
    return b.mul(
        b.make<LinearOp>(table, doublingMatrix(builder, loc, type.getElementType(), type.getShape().back()), Value()),
        2.0);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() *= 2;
  return b.reshape(b.make<StackOp>(ValueRange{table, table}, type.getRank()), shape);
}

namespace {
struct LegalizeRope : mlir::ane::impl::LegalizeRopeBase<LegalizeRope> {
  using LegalizeRopeBase::LegalizeRopeBase;
  void runOnOperation() override {
    for (RopeOp op : llvm::make_early_inc_range(getOperation().getEngine().getOps<RopeOp>())) {
      bool interleaved = op.getLayout() == "interleaved";
      // Computed tables of halves are doubled by a concat of their own: the decomposition does no worse.
      if (!interleaved && (!isConstantExpr(op.getCos()) || !isConstantExpr(op.getSin())))
        continue;
      EngineBuilder builder(op);
      Composer b(builder, op.getLoc());
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
