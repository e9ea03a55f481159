//===- Activation.cpp - gradients of activation functions -----------------===//

#include "../Rules.h"

using namespace mlir;
using namespace mlir::ane;

namespace {
struct ActivationRules : RuleSet {
  //===-- piecewise linear --------------------------------------------------===//

  static void apply(ReluOp op, GradientBuilder &b) { pieces(op, b, positive(op, b), 1, 0); }
  static void apply(Relu6Op op, GradientBuilder &b) {
    pieces(op, b, b.make<LogicalAndOp>(positive(op, b), b.compare<LessOp>(op.getX(), 6)), 1, 0);
  }
  static void apply(LeakyReluOp op, GradientBuilder &b) { pieces(op, b, positive(op, b), 1, number(op.getAlpha())); }
  static void apply(ThresholdedReluOp op, GradientBuilder &b) {
    pieces(op, b, b.compare<GreaterEqualOp>(op.getX(), number(op.getAlpha())), 1, 0);
  }
  static void apply(ClampedReluOp op, GradientBuilder &b) {
    Value slope = b.where(b.compare<GreaterEqualOp>(op.getX(), 0), b.scalar(op, 1), number(op.getAlpha()));
    b.chain(op.getX(), b.where(b.compare<LessOp>(op, number(op.getBeta())), slope));
  }
  static void apply(LinearActivationOp op, GradientBuilder &b) {
    b.chain(op.getX(), b.scalar(op, number(op.getAlpha())));
  }
  static void apply(SigmoidHardOp op, GradientBuilder &b) {
    Value inside = b.make<LogicalAndOp>(b.compare<GreaterOp>(op, 0), b.compare<LessOp>(op, 1));
    pieces(op, b, inside, number(op.getAlpha()), 0);
  }
  /// Between -3 and 3, where PyTorch has the ends outside: (2 x + 3) / 6.
  static void apply(HardSwishOp op, GradientBuilder &b) {
    Value x = op.getX(), middle = b.add(b.mul(x, 1.0 / 3), 0.5);
    Value low = b.where(b.compare<GreaterOp>(x, -3), middle);
    b.chain(op.getX(), b.where(b.compare<LessOp>(x, 3), low, 1));
  }
  static void apply(PreluOp op, GradientBuilder &b) {
    Value x = op.getX(), g = b.gradient(), isPositive = positive(op, b);
    b.accumulate(x, b.make<SelectOp>(isPositive, g, b.mul(g, b.perChannel(op.getAlpha(), x))));
    Value negative = b.make<SelectOp>(isPositive, b.scalar(x, 0), b.mul(g, x));
    if (b.wants(op.getAlpha()))
      b.accumulate(op.getAlpha(), b.sumPerChannel(negative));
  }

  //===-- smooth ------------------------------------------------------------===//

  static void apply(SigmoidOp op, GradientBuilder &b) { b.chain(op.getX(), b.mul(op, b.sub(1.0, op))); }
  static void apply(SoftplusOp op, GradientBuilder &b) { b.chain(op.getX(), b.make<SigmoidOp>(op.getX())); }
  static void apply(SoftsignOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.div(b.gradient(), b.square(b.add(b.make<AbsOp>(op.getX()), 1.0))));
  }
  static void apply(ScaledTanhOp op, GradientBuilder &b) {
    Value tanh = b.make<TanhOp>(b.mul(op.getX(), number(op.getBeta())));
    b.chain(op.getX(), b.mul(b.sub(1.0, b.square(tanh)), number(op.getAlpha()) * number(op.getBeta())));
  }
  static void apply(EluOp op, GradientBuilder &b) {
    // The branch that is not taken must not overflow.
    Value power = b.make<ExpOp>(b.make<MinimumOp>(op.getX(), b.scalar(op, 0)));
    b.chain(op.getX(), b.make<SelectOp>(positive(op, b), b.scalar(op, 1), b.mul(power, number(op.getAlpha()))));
  }
  /// sigmoid(x) (1 + x (1 - sigmoid(x))).
  static void apply(SiluOp op, GradientBuilder &b) {
    Value s = b.make<SigmoidOp>(op.getX());
    b.chain(op.getX(), b.mul(s, b.add(b.mul(op.getX(), b.sub(1.0, s)), 1.0)));
  }
  /// With t = tanh(softplus(x)): t + x (1 - t^2) sigmoid(x).
  static void apply(MishOp op, GradientBuilder &b) {
    Value x = op.getX(), t = b.make<TanhOp>(b.make<SoftplusOp>(x));
    b.chain(op.getX(), b.add(b.mul(b.mul(x, b.sub(1.0, b.square(t))), b.make<SigmoidOp>(x)), t));
  }
  static void apply(GeluOp op, GradientBuilder &b) {
    Value x = op.getX();
    if (op.getMode() == "SIGMOID_APPROXIMATION") {
      Value s = b.make<SigmoidOp>(b.mul(x, 1.702));
      return b.chain(op.getX(), b.mul(s, b.add(b.mul(b.mul(x, 1.702), b.sub(1.0, s)), 1.0)));
    }
    if (op.getMode() == "EXACT") {
      // The normal distribution's function and density.
      Value below = b.mul(b.add(b.make<ErfOp>(b.mul(x, 0.70710678118654752440)), 1.0), 0.5);  // 1 / sqrt 2
      Value density = b.mul(b.make<ExpOp>(b.mul(b.square(x), -0.5)), 0.39894228040143267794); // 1 / sqrt(2 pi)
      return b.chain(op.getX(), b.add(b.mul(x, density), below));
    }
    // y = x (1 + t) / 2 with t = tanh(c (x + 0.044715 x^3)), c = sqrt(2 / pi).
    constexpr double c = 0.79788456080286535588, cubic = 0.044715;
    Value square = b.square(x);
    Value t = b.make<TanhOp>(b.mul(b.mul(x, b.add(b.mul(square, cubic), 1.0)), c));
    Value inner = b.mul(x, b.add(b.mul(square, 3 * cubic * c), c));
    b.chain(op.getX(), b.mul(b.add(b.mul(b.sub(1.0, b.square(t)), inner), b.add(t, 1.0)), 0.5));
  }
  static void apply(SoftplusParametricOp op, GradientBuilder &b) {
    Value x = op.getX(), g = b.gradient(), alpha = b.perChannel(op.getAlpha(), x), beta = b.perChannel(op.getBeta(), x);
    Value inner = b.mul(x, beta), slope = b.mul(b.mul(g, alpha), b.make<SigmoidOp>(inner));
    b.accumulate(x, b.mul(slope, beta));
    b.accumulate(op.getAlpha(), b.sumPerChannel(b.mul(g, b.make<SoftplusOp>(inner))));
    b.accumulate(op.getBeta(), b.sumPerChannel(b.mul(slope, x)));
  }

  //===-- along an axis -----------------------------------------------------===//

  static void apply(SoftmaxOp op, GradientBuilder &b) {
    Value product = b.mul(b.gradient(), op);
    b.accumulate(op.getX(), b.sub(product, b.mul(op, b.sum(product, op.getAxisFromFront()))));
  }
  /// Never through the logarithm of softmax.
  static void apply(LogSoftmaxOp op, GradientBuilder &b) {
    Value g = b.gradient();
    b.accumulate(op.getX(), b.sub(g, b.mul(b.make<ExpOp>(op), b.sum(g, op.getAxisFromFront()))));
  }

private:
  static double number(const APFloat &value) { return value.convertToDouble(); }
  template <typename OpTy>
  static Value positive(OpTy op, GradientBuilder &b) {
    return b.compare<GreaterOp>(op.getX(), 0);
  }
  /// The gradient by x, for an op whose derivative is `inside` if the condition holds, and `outside` if not.
  template <typename OpTy>
  static void pieces(OpTy op, GradientBuilder &b, Value condition, double inside, double outside) {
    Value g = b.gradient();
    Value low = outside == 0 ? b.scalar(g, 0) : b.mul(g, outside);
    b.accumulate(op.getX(), b.make<SelectOp>(condition, inside == 1 ? g : b.mul(g, inside), low));
  }
};
} // namespace

void mlir::ane::attachActivationRules(MLIRContext *context) {
  attachRules<ActivationRules, ReluOp, Relu6Op, LeakyReluOp, ThresholdedReluOp, ClampedReluOp, LinearActivationOp,
              SigmoidHardOp, HardSwishOp, PreluOp, SigmoidOp, SoftplusOp, SoftsignOp, ScaledTanhOp, EluOp, SiluOp,
              MishOp, GeluOp, SoftplusParametricOp, SoftmaxOp, LogSoftmaxOp>(context);
}
