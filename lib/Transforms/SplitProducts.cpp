//===- SplitProducts.cpp - split products along axes that are too long ----===//
//
// The head of a language model that is trained: its weight is an input, whose rows are more than an axis may have, and
// so are the columns of what it gives. The CPU cuts operands and joins results, which moves data only.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Constraints.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/DialectAttrs.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_SPLITPRODUCTS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

namespace {
/// A product as operands and the axes, from the front, along which they meet and which they give to the result.
struct Axes {
  unsigned xOuter, xInner, yInner, yOuter;

  static Axes of(Operation *op) {
    unsigned x = shapeOf(op->getOperand(0)).size(), y = shapeOf(op->getOperand(1)).size();
    if (isa<LinearOp>(op))
      return {x - 2, x - 1, y - 1, y - 2};
    auto product = cast<MatmulOp>(op);
    bool tx = product.getTransposeX(), ty = product.getTransposeY();
    return {x - (tx ? 1 : 2), x - (tx ? 2 : 1), y - (ty ? 1 : 2), y - (ty ? 2 : 1)};
  }
};

struct SplitProducts : mlir::ane::impl::SplitProductsBase<SplitProducts> {
  using SplitProductsBase::SplitProductsBase;
  void runOnOperation() override {
    TargetEnv env = lookupTargetEnv(getOperation());
    if (!env.hasMIL())
      return; // everything goes to the CPU
    most = env.limit(Limit::SpatialAxis);
    for (Operation &op : llvm::make_early_inc_range(getOperation().front())) {
      bool isComputed = isa<LinearOp, MatmulOp>(op) && !attrs::host.isOn(&op) &&
                        llvm::none_of(op.getOperands(), [](Value value) { return isConstantExpr(value); });
      // A linear layer of one row, or with a bias, is not the head of a training.
      if (isComputed && op.getNumOperands() == 2 && shapeOf(op.getOperand(0)).size() > 1 &&
          shapeOf(op.getOperand(1)).size() > 1)
        if (std::optional<Violation> violation = check(ConstraintID::C26, &op, env))
          split(&op, violation->text());
    }
  }

  void split(Operation *op, const std::string &excess) {
    Axes axes = Axes::of(op);
    Value x = op->getOperand(0), y = op->getOperand(1);
    int64_t rows = shapeOf(x)[axes.xOuter], depth = shapeOf(x)[axes.xInner], columns = shapeOf(y)[axes.yOuter];
    unsigned rank = shapeOf(op->getResult(0)).size();
    // Of several axes that are too long one is cut; the rest finds its reason where ops are placed.
    int64_t longest = std::max({rows, depth, columns});
    if (longest <= most || (rows > most) + (depth > most) + (columns > most) > 1)
      return;
    OpBuilder builder(op);
    Composer c(builder, op->getLoc());
    HostAttr why = HostAttr::get(&getContext(), info(ConstraintID::C26).code, "cuts or joins a product: " + excess);
    auto part = [&](Value value, unsigned axis, int64_t begin, int64_t size) {
      SmallVector<int64_t> offsets(shapeOf(value).size(), 0), sizes(shapeOf(value));
      offsets[axis] = begin;
      sizes[axis] = size;
      Value taken = c.make<SliceBySizeOp>(value, offsets, sizes);
      attrs::host.set(taken.getDefiningOp(), why);
      return taken;
    };
    SmallVector<Value> parts;
    int64_t size = llvm::divideCeil(longest, llvm::divideCeil(longest, most));
    for (int64_t begin = 0; begin < longest; begin += size) {
      int64_t own = std::min(size, longest - begin);
      Value left = rows > most ? part(x, axes.xOuter, begin, own) : depth > most ? part(x, axes.xInner, begin, own) : x;
      Value right = columns > most ? part(y, axes.yOuter, begin, own)
                    : depth > most ? part(y, axes.yInner, begin, own)
                                   : y;
      auto product = dyn_cast<MatmulOp>(op);
      parts.push_back(product ? c.make<MatmulOp>(left, right, product.getTransposeX(), product.getTransposeY())
                              : c.make<LinearOp>(left, right, Value()));
    }
    Value whole = parts.front();
    if (depth > most) {
      for (Value each : ArrayRef(parts).drop_front())
        whole = c.add(whole, each);
    } else {
      whole = builder.create<ConcatOp>(op->getLoc(), op->getResultTypes(), parts, rank - (rows > most ? 2 : 1), false);
      attrs::host.set(whole.getDefiningOp(), why);
    }
    op->getResult(0).replaceAllUsesWith(whole);
    op->erase();
  }

  int64_t most = 0; // elements of an axis
};
} // namespace
