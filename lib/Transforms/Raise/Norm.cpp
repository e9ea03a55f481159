//===- Norm.cpp - layer_norm and rms_norm ---------------------------------===//

#include "Raise.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::raise;

/// `value` = scale / sqrt(mean(square) + epsilon), or only its denominator.
namespace {
struct RootMean {
  Value square; // what is averaged
  SmallVector<int64_t> axes;
  double epsilon = 0;
};
} // namespace

/// The axes of a mean that keeps its axes and takes the last ones.
static std::optional<SmallVector<int64_t>> trailingAxes(ReduceMeanOp mean) {
  int64_t rank = typeOf(mean.getX()).getRank();
  if (!mean.getAxes() || !mean.getKeepDims())
    return std::nullopt;
  SmallVector<int64_t> axes = mean.getReducedAxes();
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != rank - int64_t(axes.size()) + int64_t(i))
      return std::nullopt;
  return axes;
}

/// mean(square) + epsilon.
static std::optional<RootMean> matchMeanSquare(Value value) {
  auto add = value.getDefiningOp<AddOp>();
  if (!add)
    return std::nullopt;
  for (auto [sum, constant] : {std::pair(add.getX(), add.getY()), std::pair(add.getY(), add.getX())}) {
    auto mean = sum.getDefiningOp<ReduceMeanOp>();
    std::optional<double> epsilon = getSplat(constant);
    if (!mean || !epsilon || *epsilon < 0)
      continue;
    std::optional<SmallVector<int64_t>> axes = trailingAxes(mean);
    Value square = matchSquare(mean.getX());
    if (axes && square)
      return RootMean{square, *axes, *epsilon};
  }
  return std::nullopt;
}

/// sqrt(mean(square) + epsilon).
static std::optional<RootMean> matchRoot(Value value) {
  if (auto sqrt = value.getDefiningOp<SqrtOp>())
    return matchMeanSquare(sqrt.getX());
  auto pow = value.getDefiningOp<PowOp>();
  return pow && getSplat(pow.getY()) == 0.5 ? matchMeanSquare(pow.getX()) : std::nullopt;
}

/// 1 / sqrt(mean(square) + epsilon).
static std::optional<RootMean> matchInverseRoot(Value value) {
  if (auto rsqrt = value.getDefiningOp<RsqrtOp>(); rsqrt && rsqrt.getEpsilon().convertToDouble() <= 1e-12)
    return matchMeanSquare(rsqrt.getX());
  if (auto reciprocal = value.getDefiningOp<ReciprocalOp>())
    return matchRoot(reciprocal.getX());
  if (auto div = value.getDefiningOp<RealDivOp>(); div && getSplat(div.getX()) == 1.0)
    return matchRoot(div.getY());
  auto pow = value.getDefiningOp<PowOp>();
  return pow && getSplat(pow.getY()) == -0.5 ? matchMeanSquare(pow.getX()) : std::nullopt;
}

/// x if `value` is x - mean(x) over `axes`.
static Value matchCentered(Value value, ArrayRef<int64_t> axes) {
  auto sub = value.getDefiningOp<SubOp>();
  auto mean = sub ? sub.getY().getDefiningOp<ReduceMeanOp>() : ReduceMeanOp();
  if (!mean || mean.getX() != sub.getX())
    return nullptr;
  std::optional<SmallVector<int64_t>> own = trailingAxes(mean);
  return own && ArrayRef(*own) == axes ? sub.getX() : Value();
}

/// `parameter` with the shape of `x` along its last `count` axes, if it is a constant of that many elements.
static Value asParameter(PatternRewriter &rewriter, Value parameter, Value x, size_t count) {
  ArrayRef<int64_t> wanted = shapeOf(x).take_back(count), shape = shapeOf(parameter);
  if (!isConstantExpr(parameter) || shape.size() < count || shape.take_back(count) != wanted ||
      llvm::any_of(shape.drop_back(count), [](int64_t dim) { return dim != 1; }))
    return nullptr;
  if (shape.size() == count)
    return parameter;
  return rewriter.create<ReshapeOp>(parameter.getLoc(), parameter, wanted);
}

namespace {
/// x / sqrt(mean(x^2) + epsilon): rms_norm, or layer_norm where x was centred.
struct RaiseNorm : RewritePattern {
  RaiseNorm(MLIRContext *context) : RewritePattern(MatchAnyOpTypeTag(), 1, context) {}
  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    Value x;
    std::optional<RootMean> root;
    if (auto div = dyn_cast<RealDivOp>(op)) {
      x = div.getX();
      root = matchRoot(div.getY());
    } else if (auto mul = dyn_cast<MulOp>(op)) {
      x = mul.getX();
      root = matchInverseRoot(mul.getY());
      if (!root) {
        x = mul.getY();
        root = matchInverseRoot(mul.getX());
      }
    }
    if (!root || root->square != x || x.getType() != op->getResult(0).getType())
      return failure();
    FloatAttr epsilon = rewriter.getF64FloatAttr(root->epsilon);
    DenseI64ArrayAttr axes = rewriter.getDenseI64ArrayAttr(root->axes);
    if (Value inner = matchCentered(x, root->axes))
      rewriter.replaceOpWithNewOp<LayerNormOp>(op, inner, Value(), Value(), axes, epsilon);
    else
      rewriter.replaceOpWithNewOp<RmsNormOp>(op, x, Value(), axes, epsilon, rewriter.getBoolAttr(false));
    return success();
  }
};

/// norm(x) * constant = norm with gamma.
struct RaiseGamma : OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MulOp op, PatternRewriter &rewriter) const override {
    for (auto [norm, gamma] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())}) {
      Location loc = FusedLoc::get(op.getContext(), {norm.getLoc(), op.getLoc()});
      if (auto layer = norm.getDefiningOp<LayerNormOp>();
          layer && layer->hasOneUse() && layer.getAxes() && !layer.getGamma() && !layer.getBeta()) {
        if (Value parameter = asParameter(rewriter, gamma, norm, layer.getAxes()->size())) {
          rewriter.replaceOp(op, rewriter.create<LayerNormOp>(loc, layer.getX(), parameter, Value(),
                                                              layer.getAxesAttr(), layer.getEpsilonAttr()));
          return success();
        }
      } else if (auto rms = norm.getDefiningOp<RmsNormOp>();
                 rms && rms->hasOneUse() && rms.getAxes() && !rms.getGamma()) {
        if (Value parameter = asParameter(rewriter, gamma, norm, rms.getAxes()->size())) {
          rewriter.replaceOp(op, rewriter.create<RmsNormOp>(loc, rms.getX(), parameter, rms.getAxesAttr(),
                                                            rms.getEpsilonAttr(), rms.getZeroCenteredAttr()));
          return success();
        }
      }
    }
    return failure();
  }
};

/// layer_norm(x) + constant = layer_norm with beta.
struct RaiseBeta : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op, PatternRewriter &rewriter) const override {
    for (auto [norm, beta] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())}) {
      auto layer = norm.getDefiningOp<LayerNormOp>();
      if (!layer || !layer->hasOneUse() || !layer.getAxes() || layer.getBeta())
        continue;
      Value parameter = asParameter(rewriter, beta, norm, layer.getAxes()->size());
      if (!parameter)
        continue;
      Location loc = FusedLoc::get(op.getContext(), {norm.getLoc(), op.getLoc()});
      rewriter.replaceOp(op, rewriter.create<LayerNormOp>(loc, layer.getX(), layer.getGamma(), parameter,
                                                          layer.getAxesAttr(), layer.getEpsilonAttr()));
      return success();
    }
    return failure();
  }
};
} // namespace

void raise::populateNorms(RewritePatternSet &patterns) {
  patterns.add<RaiseNorm, RaiseGamma, RaiseBeta>(patterns.getContext());
}
