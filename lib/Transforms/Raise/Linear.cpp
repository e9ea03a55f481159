//===- Linear.cpp - linear from matmul and add ----------------------------===//

#include "Raise.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

/// matmul(x, constant [K, N]) = linear(x, constant^T).
namespace {
struct RaiseLinear : OpRewritePattern<MatmulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatmulOp op, PatternRewriter &rewriter) const override {
    if (!isConstantExpr(op.getY()) || typeOf(op.getY()).getRank() != 2 || isConstantExpr(op.getX()))
      return rewriter.notifyMatchFailure(op, "y is no constant matrix");
    if (op.getTransposeX())
      return rewriter.notifyMatchFailure(op, "x is transposed");
    Value weight = op.getY();
    if (!op.getTransposeY())
      weight = rewriter.create<TransposeOp>(op.getLoc(), weight, ArrayRef<int64_t>{1, 0});
    rewriter.replaceOpWithNewOp<LinearOp>(op, op.getX(), weight, Value());
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

void raise::populateLinear(RewritePatternSet &patterns) { patterns.add<RaiseLinear, RaiseBias>(patterns.getContext()); }
