//===- Norm.cpp - gradients of normalisation ------------------------------===//
//
// Of n = (x - mean) / deviation, where u is the gradient of n:
//
//     dx = (u - mean(u) - n mean(u n)) / deviation
//
// without the middle term where the mean is not subtracted. Magnitudes are divided by the largest before they are
// squared, as everywhere: squares of what fp16 holds may be more than it holds.
//
//===----------------------------------------------------------------------===//

#include "../Rules.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

namespace {
struct NormRules : RuleSet {
  using RuleSet::whyNot;

  //===-- over axes, with a factor for each element of them -----------------===//

  static void apply(LayerNormOp op, GradientBuilder &b) {
    alongAxes(op, b, /*isCentred=*/true, op.getGamma(), op.getGamma(), op.getBeta());
  }
  static void apply(RmsNormOp op, GradientBuilder &b) {
    Value gamma = op.getGamma();
    Value factor = gamma && op.getZeroCentered() ? b.add(b.castLike(gamma, op), 1.0) : gamma;
    alongAxes(op, b, /*isCentred=*/false, gamma, factor, /*beta=*/Value());
  }
  static std::string whyNot(LayerNormOp op, IsActive isActive) {
    return whyNotParameters(op, op.getAxesFromFront(), {Value(op.getGamma()), Value(op.getBeta())}, isActive);
  }
  static std::string whyNot(RmsNormOp op, IsActive isActive) {
    auto axes = *normalizeAxes(std::nullopt, op.getAxes().value_or(ArrayRef<int64_t>{-1}), tensorOf(op).getRank());
    return whyNotParameters(op, axes, op.getGamma(), isActive);
  }

  //===-- per channel -------------------------------------------------------===//

  static void apply(BatchNormOp op, GradientBuilder &b) {
    Value x = op.getX(), g = b.gradient(), mean = b.perChannel(op.getMean(), x);
    Value variance = b.add(b.perChannel(op.getVariance(), x), op.getEpsilon().convertToDouble());
    Value deviation = b.make<SqrtOp>(b.castLike(variance, x)), n = b.div(b.sub(x, mean), deviation);
    Value dx = b.div(scaled(b, g, op.getGamma(), x), deviation);
    b.accumulate(x, dx);
    b.accumulate(op.getMean(), b.neg(b.sumPerChannel(dx)));
    b.accumulate(op.getVariance(), b.sumPerChannel(b.mul(b.mul(dx, b.div(n, deviation)), -0.5)));
    b.accumulate(op.getGamma(), b.sumPerChannel(b.mul(g, n)));
    b.accumulate(op.getBeta(), b.sumPerChannel(g));
  }
  static void apply(InstanceNormOp op, GradientBuilder &b) {
    perChannel(op, b, tensorOf(op).getShape(), llvm::to_vector(llvm::seq<int64_t>(2, tensorOf(op).getRank())));
  }
  static void apply(GroupNormOp op, GradientBuilder &b) {
    RankedTensorType type = tensorOf(op);
    int64_t groups = op.getNumGroups(), items = type.getDimSize(0);
    perChannel(op, b, {items, groups, type.getNumElements() / (items * groups)}, {2});
  }

  //===-- without parameters ------------------------------------------------===//

  /// Of the mean in place of the sum of squares: both factors are off by the root of their number.
  static void apply(L2NormOp op, GradientBuilder &b) {
    int64_t rank = tensorOf(op).getRank();
    SmallVector<int64_t> axes{rank - 3, rank - 2, rank - 1};
    double count = numElements(tensorOf(op).getShape().take_back(3));
    Normalised x = normalise(b, op.getX(), axes, op.getEpsilon().convertToDouble() / count, /*isCentred=*/false);
    b.accumulate(op.getX(), gradientOf(b, b.div(b.gradient(), std::sqrt(count)), x));
  }

  /// Of y = x d^-beta, where d = k + alpha / size S(x^2), and S sums neighbouring channels.
  static void apply(LocalResponseNormOp op, GradientBuilder &b) {
    Value x = op.getX(), g = b.gradient();
    int64_t before = op.getSize() / 2, after = op.getSize() - 1 - before;
    double alpha = op.getAlpha().convertToDouble() / op.getSize(), beta = op.getBeta().convertToDouble();
    Value d = b.add(b.mul(sumNeighbours(b, b.square(x), before, after), alpha), op.getK().convertToDouble());
    Value inner = b.div(b.mul(g, op), d);
    // What a channel has summed, sums it in turn from the other side.
    Value others = b.mul(b.mul(x, sumNeighbours(b, inner, after, before)), -2 * alpha * beta);
    b.accumulate(x, b.add(b.mul(g, b.pow(d, -beta)), others));
  }

private:
  struct Normalised {
    Value n, deviation;
    SmallVector<int64_t> axes;
    bool isCentred;
  };

  static Normalised normalise(GradientBuilder &b, Value x, ArrayRef<int64_t> axes, double epsilon, bool isCentred) {
    if (isCentred)
      x = b.sub(x, b.mean(x, axes));
    // At least the root of epsilon, so that neither quotient is above 1.
    double root = std::sqrt(epsilon);
    Value unit = b.maximum(b.max(b.make<AbsOp>(x), axes), root), small = b.div(x, unit), least = b.div(root, unit);
    Value ratio = b.make<SqrtOp>(b.add(b.mean(b.square(small), axes), b.square(least)));
    return {b.div(small, ratio), b.mul(ratio, unit), SmallVector<int64_t>(axes), isCentred};
  }

  /// The gradient of what was normalised, where `u` is that of `x.n`.
  static Value gradientOf(GradientBuilder &b, Value u, const Normalised &x) {
    Value along = b.mul(x.n, b.mean(b.mul(u, x.n), x.axes));
    Value centred = x.isCentred ? b.sub(u, b.mean(u, x.axes)) : u;
    return b.div(b.sub(centred, along), x.deviation);
  }

  /// `factor` is what the normalised values are multiplied by, made of `gamma`.
  template <typename OpTy>
  static void alongAxes(OpTy op, GradientBuilder &b, bool isCentred, Value gamma, Value factor, Value beta) {
    Value g = b.gradient();
    SmallVector<int64_t> axes = op.getReducedAxes(), wide(tensorOf(op).getRank(), 1);
    for (int64_t axis : axes)
      wide[axis] = tensorOf(op).getDimSize(axis);
    Normalised x = normalise(b, op.getX(), axes, op.getEpsilon().convertToDouble(), isCentred);
    Value u = factor ? b.mul(g, b.reshape(b.castLike(factor, g), wide)) : g;
    b.accumulate(op.getX(), gradientOf(b, u, x));
    for (auto [parameter, gradient] : {std::pair(gamma, b.mul(g, x.n)), std::pair(beta, g)})
      if (b.wants(parameter))
        b.accumulate(parameter, b.reshape(b.sumTo(gradient, wide), tensorOf(parameter).getShape()));
  }
  static std::string whyNotParameters(Operation *op, ArrayRef<int64_t> axes, ArrayRef<Value> parameters,
                                      IsActive isActive) {
    bool isAsked = llvm::any_of(parameters, [&](Value value) { return value && isActive(value); });
    return !isAsked || llvm::is_sorted(axes) ? "" : "its axes are not in ascending order";
  }

  /// gamma g, where there is a gamma.
  static Value scaled(GradientBuilder &b, Value g, Value gamma, Value x) {
    return gamma ? b.mul(g, b.perChannel(b.castLike(gamma, x), x)) : g;
  }
  /// A norm over `axes` of x in another `shape`.
  template <typename OpTy>
  static void perChannel(OpTy op, GradientBuilder &b, ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
    Value g = b.gradient();
    Normalised x =
        normalise(b, b.reshape(op.getX(), shape), axes, op.getEpsilon().convertToDouble(), /*isCentred=*/true);
    Value u = b.reshape(scaled(b, g, op.getGamma(), g), shape);
    b.accumulate(op.getX(), b.reshape(gradientOf(b, u, x), tensorOf(op).getShape()));
    b.accumulate(op.getGamma(), b.sumPerChannel(b.mul(g, b.reshape(x.n, tensorOf(op).getShape()))));
    b.accumulate(op.getBeta(), b.sumPerChannel(g));
  }

  static Value sumNeighbours(GradientBuilder &b, Value x, int64_t before, int64_t after) {
    ArrayRef<int64_t> shape = tensorOf(x).getShape();
    SmallVector<std::pair<int64_t, int64_t>> border(shape.size(), {0, 0});
    border[1] = {before, after};
    Value wide = b.pad(x, border), sum;
    SmallVector<int64_t> begin(shape.size(), 0);
    for (; begin[1] <= before + after; ++begin[1]) {
      Value part = b.slice(wide, begin, shape);
      sum = sum ? b.add(sum, part) : part;
    }
    return sum;
  }
};
} // namespace

void mlir::ane::attachNormRules(MLIRContext *context) {
  attachRules<NormRules, LayerNormOp, RmsNormOp, BatchNormOp, InstanceNormOp, GroupNormOp, L2NormOp,
              LocalResponseNormOp>(context);
}
