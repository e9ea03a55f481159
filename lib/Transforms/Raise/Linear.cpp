//===- Linear.cpp - linear from matmul and add ----------------------------===//

#include "Raise.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

/// `value` with its last two axes swapped.
static Value transposed(PatternRewriter &rewriter, Location loc, Value value) {
  auto perm = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(value).getRank()));
  std::swap(perm[perm.size() - 2], perm[perm.size() - 1]);
  return rewriter.create<TransposeOp>(loc, value, perm);
}

/// A constant matrix, whatever axes of size 1 stand before it; null for other values.
static Value constantMatrix(PatternRewriter &rewriter, Value value) {
  auto type = typeOf(value);
  if (!isConstantExpr(value) || type.getRank() < 2)
    return {};
  if (type.getRank() == 2)
    return value;
  if (llvm::any_of(type.getShape().drop_back(2), [](int64_t size) { return size != 1; }))
    return {};
  return rewriter.create<ReshapeOp>(value.getLoc(), value, type.getShape().take_back(2));
}

namespace {
/// matmul(x, constant [K, N]) = linear(x, constant^T).
struct RaiseLinear : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    // Not where the constant's axes of size 1 give the result its rank.
    if (isConstantExpr(op.getX()) || typeOf(op.getX()).getRank() < typeOf(op.getY()).getRank())
      return rewriter.notifyMatchFailure(op, "x is constant or of a lower rank");
    Value weight = constantMatrix(rewriter, op.getY());
    if (!weight)
      return rewriter.notifyMatchFailure(op, "y is no constant matrix");
    if (!op.getTransposeY())
      weight = transposed(rewriter, op.getLoc(), weight);
    Value x = op.getTransposeX() ? transposed(rewriter, op.getLoc(), op.getX()) : op.getX();
    rewriter.replaceOpWithNewOp<LinearOp>(op, x, weight, Value());
    return success();
  }
};

/// matmul(constant [M, K], y) = linear(y^T, constant)^T.
struct RaiseLinearOfRight : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    if (isConstantExpr(op.getY()) || typeOf(op.getY()).getRank() < typeOf(op.getX()).getRank())
      return rewriter.notifyMatchFailure(op, "y is constant or of a lower rank");
    Value weight = constantMatrix(rewriter, op.getX());
    if (!weight)
      return rewriter.notifyMatchFailure(op, "x is no constant matrix");
    if (op.getTransposeX())
      weight = transposed(rewriter, op.getLoc(), weight);
    Value y = op.getTransposeY() ? op.getY() : transposed(rewriter, op.getLoc(), op.getY());
    Value product = rewriter.create<LinearOp>(op.getLoc(), y, weight, Value());
    rewriter.replaceOp(op, transposed(rewriter, op.getLoc(), product));
    return success();
  }
};

/// linear(x, w) + constant [N] = linear(x, w, constant).
struct RaiseBias : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (auto [product, bias] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())}) {
      auto linear = product.getDefiningOp<LinearOp>();
      if (!linear || linear.getBias() || !linear->hasOneUse() || !isConstantExpr(bias))
        continue;
      int64_t count = typeOf(linear.getWeight()).getDimSize(0);
      RankedTensorType type = typeOf(bias);
      if (type.getNumElements() != count || type.getRank() == 0 || type.getShape().back() != count ||
          type.getRank() > typeOf(product).getRank())
        continue;
      if (type.getRank() != 1)
        bias = rewriter.create<ReshapeOp>(bias.getLoc(), bias, ArrayRef<int64_t>{count});
      rewriter.replaceOp(op, rewriter.create<LinearOp>(FusedLoc::get(op.getContext(), {linear.getLoc(), op.getLoc()}),
                                                       linear.getX(), linear.getWeight(), bias));
      return success();
    }
    return failure();
  }
};
} // namespace

void raise::populateLinear(RewritePatternSet &patterns) {
  patterns.add<RaiseLinear, RaiseLinearOfRight, RaiseBias>(patterns.getContext());
}
