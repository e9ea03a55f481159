//===- Movement.cpp - needless and roundabout movements -------------------===//

#include "Raise.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Rebuild.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

namespace {
/// An element-wise op broadcasts by itself.
struct DropTile : OpTraitRewritePattern<BroadcastElementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    for (OpOperand &operand : op->getOpOperands()) {
      auto tile = operand.get().getDefiningOp<TileOp>();
      if (!tile)
        continue;
      // Only axes of size 1 broadcast.
      bool broadcasts = llvm::all_of(llvm::zip_equal(typeOf(tile.getX()).getShape(), tile.getReps()),
                                     [](auto pair) { return std::get<0>(pair) == 1 || std::get<1>(pair) == 1; });
      if (!broadcasts)
        continue;
      SmallVector<Value> operands(op->getOperands());
      operands[operand.getOperandNumber()] = tile.getX();
      Operation *copy = rebuild(rewriter, op, operands);
      if (!copy)
        continue;
      if (copy->getResultTypes() != op->getResultTypes()) {
        rewriter.eraseOp(copy);
        continue;
      }
      rewriter.replaceOp(op, copy->getResults());
      return success();
    }
    return failure();
  }
};

/// f(tile(x)) = tile(f(x)): less to compute, and the tile comes nearer to an op that does without it.
struct SinkTile : OpTraitRewritePattern<BroadcastElementwise> {
  using OpTraitRewritePattern::OpTraitRewritePattern;
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    auto tile = op->getNumOperands() == 1 ? op->getOperand(0).getDefiningOp<TileOp>() : TileOp();
    if (!tile)
      return failure();
    Operation *copy = rebuild(rewriter, op, tile.getX());
    if (!copy)
      return failure();
    rewriter.replaceOpWithNewOp<TileOp>(op, copy->getResult(0), tile.getReps());
    return success();
  }
};

/// What reshapes around a transpose do is one transpose after at most one reshape: exporters merge batch axes around
/// the transpose of matrices.
struct UnwrapTranspose : OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    auto transpose = op.getX().getDefiningOp<TransposeOp>();
    auto reshape = transpose ? transpose.getX().getDefiningOp<ReshapeOp>() : ReshapeOp();
    if (!reshape || isConstantExpr(op.getOperation()))
      return failure();
    ArrayRef<int64_t> result = shapeOf(op), source = shapeOf(reshape.getX());
    Relayout whole = Relayout::transpose(shapeOf(reshape), transpose.getPerm());
    auto layout = whole.refined(source, result);
    if (!layout)
      return failure();
    // Every dimension of the result must be atoms that follow each other in the source.
    SmallVector<int64_t> dims = atomDims(layout->permuted(), result), order, positions(result.size(), -1);
    for (auto [i, dim] : llvm::enumerate(dims)) {
      if (positions[dim] < 0)
        positions[dim] = layout->perm[i];
      else if (layout->perm[i] != layout->perm[i - 1] + 1)
        return failure();
    }
    for (auto [dim, position] : llvm::enumerate(positions))
      if (position >= 0)
        order.push_back(dim);
    llvm::sort(order, [&](int64_t a, int64_t b) { return positions[a] < positions[b]; });
    // Dimensions of 1 keep their places.
    SmallVector<int64_t> before(result.size(), 1), perm(result.size());
    size_t next = 0;
    for (auto [place, dim] : llvm::enumerate(result)) {
      if (positions[place] < 0) {
        perm[place] = place;
        continue;
      }
      before[place] = result[order[next]];
      perm[order[next++]] = place;
    }
    Value value = reshape.getX();
    if (shapeOf(value) != ArrayRef(before))
      value = rewriter.create<ReshapeOp>(reshape.getLoc(), value, before);
    rewriter.replaceOpWithNewOp<TransposeOp>(op, value, perm);
    return success();
  }
};
} // namespace

void raise::populateMovement(RewritePatternSet &patterns) {
  patterns.add<DropTile, SinkTile, UnwrapTranspose>(patterns.getContext());
}
