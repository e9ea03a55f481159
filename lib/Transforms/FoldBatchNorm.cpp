//===- FoldBatchNorm.cpp - factors and addends into convolutions ----------===//
//
// In the model's precision, before anything is rounded to fp16: a running variance near 0 or a large scale would cost
// digits there.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/ConstantSources.h"
#include "ane/Constraint/Constraints.h"
#include "ane/Constraint/Narrowing.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/IR/WeightFacts.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::ane {
#define GEN_PASS_DEF_FOLDBATCHNORM
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// batch_norm(x) = x * factor + addend, per channel.
static std::pair<Value, Value> affineForm(BatchNormOp op, OpBuilder &builder) {
  Composer b(builder, op.getLoc());
  Value deviation = b.make<SqrtOp>(b.add(op.getVariance(), op.getEpsilon().convertToDouble()));
  Value factor = op.getGamma() ? b.div(op.getGamma(), deviation) : b.div(b.scalar(deviation, 1.0), deviation);
  Value shift = b.mul(op.getMean(), factor);
  Value addend = op.getBeta() ? b.sub(op.getBeta(), shift) : b.mul(shift, -1.0);
  return {factor, addend};
}

/// `value` as a vector [channels], if it is a constant that broadcasts along axis 1 of `type` only.
static Value asChannels(OpBuilder &builder, Value value, RankedTensorType type) {
  if (!isConstantExpr(value) || type.getRank() < 2)
    return nullptr;
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  int64_t channels = type.getDimSize(1), missing = type.getRank() - shape.size();
  if (missing < 0)
    return nullptr;
  for (auto [i, dim] : llvm::enumerate(shape))
    if (dim != 1 && int64_t(i) + missing != 1)
      return nullptr;
  Composer b(builder, value.getLoc());
  if (typeOf(value).getNumElements() == channels)
    return b.reshape(value, {channels});
  // One value for all channels.
  return b.mul(createSplat(builder, value.getLoc(), typeOf(value).clone({channels}), 1.0), b.reshape(value, {1}));
}

/// Makes `conv` compute conv * factor + addend; either may be null. Output channels are axis `outAxis` of its weight.
template <typename Op>
static void fold(PatternRewriter &rewriter, Operation *op, Op conv, int64_t outAxis, Value factor, Value addend) {
  Composer b(rewriter, conv.getLoc());
  Value weight = conv.getWeight();
  if (factor) {
    SmallVector<int64_t> shape(typeOf(weight).getRank(), 1);
    shape[outAxis] = typeOf(factor).getNumElements();
    weight = b.mul(weight, b.reshape(factor, shape));
  }
  Value bias = conv.getBias();
  if (factor && bias)
    bias = b.mul(bias, factor);
  if (addend)
    bias = bias ? b.add(bias, addend) : addend;
  auto copy = cast<Op>(rewriter.clone(*conv));
  addOrigin(copy, op);
  copy->setLoc(FusedLoc::get(op->getContext(), {conv.getLoc(), op->getLoc()}));
  copy.getWeightMutable().assign(weight);
  if (bias)
    copy.getBiasMutable().assign(bias);
  rewriter.replaceOp(op, copy);
}

static bool isFoldable(Value value) {
  if (!value.hasOneUse())
    return false;
  auto transposed = value.getDefiningOp<ConvTransposeOp>(); // whose groups share axis 1 of the weight
  if (!value.getDefiningOp<ConvOp>() && (!transposed || transposed.getGroups() != 1))
    return false;
  return llvm::all_of(value.getDefiningOp()->getOperands().drop_front(), [](Value v) { return isConstantExpr(v); });
}

/// Folds `op`, which is value * factor + addend for a foldable `value`.
static void foldInto(PatternRewriter &rewriter, Operation *op, Value value, Value factor, Value addend) {
  if (auto conv = value.getDefiningOp<ConvOp>())
    fold(rewriter, op, conv, /*outAxis=*/0, factor, addend);
  else
    fold(rewriter, op, cast<ConvTransposeOp>(value.getDefiningOp()), /*outAxis=*/1, factor, addend);
}

/// The elements of a constant of floats; none where there is no constant, or it can't be evaluated.
static SmallVector<double> numbersOf(Value value) {
  SmallVector<double> numbers;
  if (!value)
    return numbers;
  if (FailureOr<DenseElementsAttr> elements = evaluateToAttribute(value); succeeded(elements))
    for (const APFloat &element : elements->getValues<APFloat>())
      numbers.push_back(element.convertToDouble());
  return numbers;
}

/// The largest magnitude of a constant; 0 where there is none.
static double largestOf(Value value) {
  std::optional<WeightFacts> facts = value ? factsOfConstant(value) : std::nullopt;
  return facts ? facts->largestMagnitude() : 0;
}

/// The largest factor of a norm's channels.
static double largestFactor(BatchNormOp op) {
  double largest = 0;
  SmallVector<double> variance = numbersOf(op.getVariance()), gamma = numbersOf(op.getGamma());
  for (auto [i, each] : llvm::enumerate(variance))
    largest = std::max(largest,
                       std::abs((gamma.empty() ? 1 : gamma[i]) / std::sqrt(each + op.getEpsilon().convertToDouble())));
  return largest;
}

/// Whether what `conv` sums for some channel exceeds `bound` once its weights have the norm's factor, where it is twice
/// its mean, and is smaller without: the norm subtracts the mean before it multiplies.
static bool raisesMagnitude(BatchNormOp op, Operation *conv, double bound) {
  SmallVector<double> mean = numbersOf(op.getMean()), variance = numbersOf(op.getVariance()),
                      gamma = numbersOf(op.getGamma()),
                      bias = numbersOf(conv->getNumOperands() > 2 ? conv->getOperand(2) : Value());
  for (size_t i = 0; i < std::min(mean.size(), variance.size()); ++i) {
    double factor =
        std::abs((gamma.empty() ? 1 : gamma[i]) / std::sqrt(variance[i] + op.getEpsilon().convertToDouble()));
    double sum = std::abs(mean[i] - (bias.empty() ? 0 : bias[i]));
    if (factor > 1 && 2 * sum * factor > bound) {
      for (Value parameter : op->getOperands().drop_front())
        markDecisive(parameter);
      return true;
    }
  }
  return false;
}

namespace {
struct FoldNorm : OpRewritePattern<BatchNormOp> {
  /// What no product, and no weight of one, may exceed.
  FoldNorm(MLIRContext *context, double bound) : OpRewritePattern(context), bound(bound) {}
  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    if (!isFoldable(op.getX()) ||
        !llvm::all_of(op->getOperands().drop_front(), [](Value v) { return isConstantExpr(v); }) ||
        raisesMagnitude(op, op.getX().getDefiningOp(), bound) || makesUnheld(op, op.getX().getDefiningOp()))
      return failure();
    auto [factor, addend] = affineForm(op, rewriter);
    foldInto(rewriter, op, op.getX(), factor, addend);
    return success();
  }

private:
  /// Whether a weight with the norm's factor would be none of fp16.
  bool makesUnheld(BatchNormOp op, Operation *conv) const {
    double weight = largestOf(conv->getOperand(1)) * largestFactor(op);
    if (bound == HUGE_VAL || weight == 0 || (weight <= bound && isHeld(weight)))
      return false;
    for (Value parameter : op->getOperands().drop_front())
      markDecisive(parameter);
    return true;
  }

  double bound;
};

/// A norm that stays, some parameter of which fp16 does not hold, as (x - mean) * factor + beta: the factor is made in
/// the model's precision.
struct SpellNorm : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    if (isa<BlobOp>(op->getParentOp())) // of constants
      return failure();
    ValueRange parameters = op->getOperands().drop_front();
    if (!llvm::all_of(parameters, [](Value v) { return isConstantExpr(v); }) || isHeldAsItIs(op))
      return failure();
    std::optional<int> exponent = scaleOf(largestFactor(op));
    if (!exponent)
      return failure();
    llvm::for_each(parameters, markDecisive);
    Composer b(rewriter, op.getLoc());
    Value factor = affineForm(op, rewriter).first;
    Value value = b.sub(op.getX(), b.perChannel(op.getMean(), op.getX()));
    value = b.mul(value, b.perChannel(b.mul(factor, std::ldexp(1.0, -*exponent)), op.getX()));
    value = b.mul(value, std::ldexp(1.0, *exponent));
    if (op.getBeta())
      value = b.add(value, b.perChannel(op.getBeta(), op.getX()));
    rewriter.replaceOp(op, value);
    return success();
  }

private:
  static bool isHeldAsItIs(BatchNormOp op) {
    SmallVector<double> variance = numbersOf(op.getVariance());
    bool isSmall = llvm::any_of(
        variance, [&](double each) { return each + op.getEpsilon().convertToDouble() < smallestNormalHalf; });
    auto holds = [](Value value) { return isHeld(largestOf(value)); };
    double factor = largestFactor(op);
    return !isSmall && (factor == 0 || isHeld(factor)) && llvm::all_of(op->getOperands().drop_front(), holds);
  }
};

/// conv * c and conv + c.
template <typename Op>
struct FoldAffine : OpRewritePattern<Op> {
  FoldAffine(MLIRContext *context, bool isEngine) : OpRewritePattern<Op>(context), isEngine(isEngine) {}
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    for (auto [conv, constant] : {std::pair(op.getX(), op.getY()), std::pair(op.getY(), op.getX())}) {
      if (!isFoldable(conv) || conv.getType() != op.getType())
        continue;
      Value channels = asChannels(rewriter, constant, typeOf(conv));
      if (!channels)
        continue;
      bool product = isa<MulOp>(op);
      double largest = largestOf(constant) * (product ? largestOf(conv.getDefiningOp()->getOperand(1)) : 1);
      if (isEngine && largest != 0 && !isHeld(largest))
        continue;
      foldInto(rewriter, op, conv, product ? channels : Value(), product ? Value() : channels);
      return success();
    }
    return failure();
  }

private:
  bool isEngine; // where a folded weight must be one of fp16
};

struct FoldBatchNorm : mlir::ane::impl::FoldBatchNormBase<FoldBatchNorm> {
  using FoldBatchNormBase::FoldBatchNormBase;
  void runOnOperation() override {
    auto island = dyn_cast<IslandOp>(getOperation());
    // CPU code has the range of the model's type.
    double bound = island ? lookupTargetEnv(island).numeric(Numeric::AccumulatorMax) : HUGE_VAL;
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldNorm>(&getContext(), bound);
    if (island)
      patterns.add<SpellNorm>(&getContext(), /*benefit=*/0);
    patterns.add<FoldAffine<MulOp>, FoldAffine<AddOp>>(&getContext(), bool(island));
    OriginListener listener;
    GreedyRewriteConfig config;
    config.listener = &listener;
    if (island)
      (void)applyPatternsAndFoldGreedily(island.getEngine(), std::move(patterns), config);
    else
      (void)applyPatternsAndFoldGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
