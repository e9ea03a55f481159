//===- RaiseComposites.cpp - recognise what exporters took apart ----------===//

#include "ane/IR/ConstantExpr.h"
#include "ane/IR/Rebuild.h"
#include "ane/Transforms/Passes.h"
#include <cmath>

namespace mlir::ane {
#define GEN_PASS_DEF_RAISECOMPOSITES
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Exporters print constants like sqrt(2) in fp32 or fewer digits.
static bool isClose(double value, double expected) { return std::abs(value - expected) <= 1e-5 * std::abs(expected); }

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

/// The factors of a product, through multiplications and divisions by constants.
struct Product {
  double constant = 1;
  SmallVector<Value> factors;
  SmallVector<Location> locs;

  void collect(Value value, bool root) {
    if (auto splat = getSplat(value)) {
      constant *= *splat;
      return;
    }
    Operation *op = value.getDefiningOp();
    if (op && (root || value.hasOneUse())) {
      if (auto mul = dyn_cast<MulOp>(op)) {
        locs.push_back(op->getLoc());
        collect(mul.getX(), false);
        collect(mul.getY(), false);
        return;
      }
      if (auto div = dyn_cast<RealDivOp>(op))
        if (auto splat = getSplat(div.getY())) {
          locs.push_back(op->getLoc());
          constant /= *splat;
          collect(div.getX(), false);
          return;
        }
    }
    factors.push_back(value);
  }
};

/// x if `value` is 1 + erf(x / sqrt 2).
Value matchErfGate(Value value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return nullptr;
  for (auto [one, other] : {std::pair(add.getX(), add.getY()), std::pair(add.getY(), add.getX())}) {
    auto erf = other.getDefiningOp<ErfOp>();
    std::optional<double> splat = getSplat(one);
    if (!erf || !splat || *splat != 1.0)
      continue;
    Product inner;
    inner.collect(erf.getX(), /*root=*/false);
    if (inner.factors.size() == 1 && isClose(inner.constant, M_SQRT1_2))
      return inner.factors[0];
  }
  return nullptr;
}

struct RaiseActivation : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    if (isConstantExpr(op.getOperation()))
      return failure();
    Product product;
    product.collect(op.getResult(), /*root=*/true);
    if (product.factors.size() != 2)
      return failure();
    for (auto [x, gate] : {std::pair(product.factors[0], product.factors[1]),
                           std::pair(product.factors[1], product.factors[0])}) {
      if (x.getType() != op.getType())
        continue;
      Location loc = FusedLoc::get(op.getContext(), product.locs);
      if (isClose(product.constant, 0.5) && matchErfGate(gate) == x) {
        rewriter.replaceOp(op, rewriter.create<GeluOp>(loc, x, "EXACT"));
        return success();
      }
      auto sigmoid = gate.getDefiningOp<SigmoidOp>();
      if (product.constant == 1 && sigmoid && sigmoid.getX() == x) {
        rewriter.replaceOp(op, rewriter.create<SiluOp>(loc, x));
        return success();
      }
    }
    return failure();
  }
};

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

struct RaiseComposites : ane::impl::RaiseCompositesBase<RaiseComposites> {
  using RaiseCompositesBase::RaiseCompositesBase;
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<RaiseLinear, RaiseBias, RaiseActivation, DropTile, SinkTile>(&getContext());
    (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
