//===- Elementwise.cpp - gradients of element-wise arithmetic -------------===//
//
// At points without a derivative the values are PyTorch's.
//
//===----------------------------------------------------------------------===//

#include "../Rules.h"
#include "ane/IR/ConstantExpr.h"

using namespace mlir;
using namespace mlir::ane;

/// The gradient by x, for an op whose derivative is 1 / `slope`.
template <typename OpTy>
static void divide(OpTy op, GradientBuilder &b, Value slope) {
  b.accumulate(op.getX(), b.div(b.gradient(), slope));
}
/// The same where the derivative is 1 or 0.
template <typename OpTy>
static void mask(OpTy op, GradientBuilder &b, Value passes) {
  b.accumulate(op.getX(), b.where(passes, b.gradient()));
}

namespace {
struct ElementwiseRules : RuleSet {
  //===-- one operand -------------------------------------------------------===//

  static void apply(AbsOp op, GradientBuilder &b) { b.chain(op.getX(), b.make<SignOp>(op.getX())); }
  static void apply(SquareOp op, GradientBuilder &b) { b.chain(op.getX(), b.mul(op.getX(), 2.0)); }
  static void apply(NegOp op, GradientBuilder &b) { b.accumulate(op.getX(), b.neg(b.gradient())); }
  static void apply(IdentityOp op, GradientBuilder &b) { b.accumulate(op.getX(), b.gradient()); }
  static void apply(CastOp op, GradientBuilder &b) { b.accumulate(op.getX(), b.gradient()); }

  static void apply(ExpOp op, GradientBuilder &b) { b.chain(op.getX(), op); }
  static void apply(Exp2Op op, GradientBuilder &b) { b.chain(op.getX(), b.mul(op, 0.69314718055994530942)); } // log 2
  static void apply(LogOp op, GradientBuilder &b) {
    divide(op, b, b.add(op.getX(), op.getEpsilon().convertToDouble()));
  }
  static void apply(SqrtOp op, GradientBuilder &b) { divide(op, b, b.mul(op, 2.0)); }
  static void apply(RsqrtOp op, GradientBuilder &b) { b.chain(op.getX(), b.mul(b.mul(b.square(op), op), -0.5)); }
  static void apply(InverseOp op, GradientBuilder &b) { b.chain(op.getX(), b.neg(b.square(op))); }
  static void apply(ReciprocalOp op, GradientBuilder &b) { b.chain(op.getX(), b.neg(b.square(op))); }
  static void apply(ErfOp op, GradientBuilder &b) {
    b.chain(op.getX(), b.mul(b.make<ExpOp>(b.neg(b.square(op.getX()))), 1.12837916709551257390)); // 2 / sqrt(pi)
  }

  static void apply(SinOp op, GradientBuilder &b) { b.chain(op.getX(), b.make<CosOp>(op.getX())); }
  static void apply(CosOp op, GradientBuilder &b) { b.chain(op.getX(), b.neg(b.make<SinOp>(op.getX()))); }
  static void apply(TanOp op, GradientBuilder &b) { b.chain(op.getX(), b.add(b.square(op), 1.0)); }
  static void apply(AsinOp op, GradientBuilder &b) { divide(op, b, cosineOf(op.getX(), b)); }
  static void apply(AcosOp op, GradientBuilder &b) { divide(op, b, b.neg(cosineOf(op.getX(), b))); }
  static void apply(AtanOp op, GradientBuilder &b) { divide(op, b, b.add(b.square(op.getX()), 1.0)); }
  static void apply(SinhOp op, GradientBuilder &b) { b.chain(op.getX(), b.make<CoshOp>(op.getX())); }
  static void apply(CoshOp op, GradientBuilder &b) { b.chain(op.getX(), b.make<SinhOp>(op.getX())); }
  static void apply(TanhOp op, GradientBuilder &b) { b.chain(op.getX(), b.sub(1.0, b.square(op))); }
  // Of the result, which no square of x overflows on the way to.
  static void apply(AsinhOp op, GradientBuilder &b) { divide(op, b, b.make<CoshOp>(op)); }
  static void apply(AcoshOp op, GradientBuilder &b) { divide(op, b, b.make<SinhOp>(op)); }
  static void apply(AtanhOp op, GradientBuilder &b) {
    divide(op, b, b.mul(b.sub(1.0, op.getX()), b.add(op.getX(), 1.0)));
  }

  static void apply(ClipOp op, GradientBuilder &b) {
    mask(op, b,
         b.make<LogicalAndOp>(b.compare<GreaterEqualOp>(op.getX(), op.getAlpha().convertToDouble()),
                              b.compare<LessEqualOp>(op.getX(), op.getBeta().convertToDouble())));
  }
  static void apply(ThresholdOp op, GradientBuilder &b) {
    mask(op, b, b.compare<GreaterEqualOp>(op.getX(), op.getAlpha().convertToDouble()));
  }

  //===-- two operands ------------------------------------------------------===//

  static void apply(AddOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.gradient());
    b.accumulate(op.getY(), b.gradient());
  }
  static void apply(SubOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.gradient());
    b.accumulate(op.getY(), b.neg(b.gradient()));
  }
  static void apply(MulOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.mul(b.gradient(), op.getY()));
    b.accumulate(op.getY(), b.mul(b.gradient(), op.getX()));
  }
  static void apply(RealDivOp op, GradientBuilder &b) {
    Value quotient = b.div(b.gradient(), op.getY());
    b.accumulate(op.getX(), quotient);
    b.accumulate(op.getY(), b.neg(b.mul(quotient, op)));
  }
  static void apply(ModOp op, GradientBuilder &b) {
    b.accumulate(op.getX(), b.gradient());
    b.accumulate(op.getY(), b.neg(b.mul(b.gradient(), b.make<FloorDivOp>(op.getX(), op.getY()))));
  }

  static void apply(PowOp op, GradientBuilder &b) {
    Value x = op.getX(), y = op.getY();
    if (std::optional<double> power = getSplat(y)) {
      if (*power != 0) // x^0 is 1, also where x is 0
        b.chain(op.getX(), b.mul(*power == 2 ? x : b.pow(x, *power - 1), *power));
      return;
    }
    Value slope = b.mul(y, b.make<PowOp>(x, b.add(y, -1.0)));
    b.chain(op.getX(), b.make<SelectOp>(b.compare<EqualOp>(y, 0), b.zerosLike(op), slope));
    // 0^y stays 0.
    Value isZero = b.make<LogicalAndOp>(b.compare<EqualOp>(x, 0), b.compare<GreaterEqualOp>(y, 0));
    Value growth = b.mul(op, b.make<LogOp>(x, APFloat(0.0)));
    b.accumulate(y, b.mul(b.gradient(), b.make<SelectOp>(isZero, b.zerosLike(op), growth)));
  }

  static void apply(MaximumOp op, GradientBuilder &b) { larger<GreaterOp>(op, b); }
  static void apply(MinimumOp op, GradientBuilder &b) { larger<LessOp>(op, b); }

  //===-- three operands ----------------------------------------------------===//

  static void apply(SelectOp op, GradientBuilder &b) {
    Value g = b.gradient();
    b.accumulate(op.getA(), b.where(op.getCond(), g));
    b.accumulate(op.getB(), b.make<SelectOp>(op.getCond(), b.scalar(g, 0), g));
  }

private:
  /// cos(asin(x)), without a difference of squares.
  static Value cosineOf(Value x, GradientBuilder &b) { return b.make<SqrtOp>(b.mul(b.sub(1.0, x), b.add(x, 1.0))); }

  /// Whether the operand is one number of the model: a bound, as of torch.clamp.
  static bool isBound(Value value) { return tensorOf(value).getRank() == 0 && isConstantExpr(value); }

  /// The gradient goes to the operand that is taken; equal ones get half of it, or all if the other is a bound.
  template <typename CompareOp, typename OpTy>
  static void larger(OpTy op, GradientBuilder &b) {
    Value x = op.getX(), y = op.getY(), g = b.gradient();
    bool isBounded = isBound(x) || isBound(y);
    Value tie = b.where(b.make<EqualOp>(x, y), isBounded ? g : b.mul(g, 0.5));
    b.accumulate(x, b.make<SelectOp>(b.make<CompareOp>(x, y), g, tie));
    b.accumulate(y, b.make<SelectOp>(b.make<CompareOp>(y, x), g, tie));
  }
};
} // namespace

void mlir::ane::attachElementwiseRules(MLIRContext *context) {
  attachRules<ElementwiseRules, AbsOp, SquareOp, NegOp, IdentityOp, CastOp, ExpOp, Exp2Op, LogOp, SqrtOp, RsqrtOp,
              InverseOp, ReciprocalOp, ErfOp, SinOp, CosOp, TanOp, AsinOp, AcosOp, AtanOp, SinhOp, CoshOp, TanhOp,
              AsinhOp, AcoshOp, AtanhOp, ClipOp, ThresholdOp, AddOp, SubOp, MulOp, RealDivOp, ModOp, PowOp, MaximumOp,
              MinimumOp, SelectOp>(context);
  attachConstant<SignOp, CeilOp, FloorOp, RoundOp, FloorDivOp>(context);
  attachConstant<LogicalNotOp, LogicalAndOp, LogicalOrOp, LogicalXorOp, EqualOp, NotEqualOp, GreaterOp, GreaterEqualOp,
                 LessOp, LessEqualOp, BitwiseNotOp, BitwiseAndOp, BitwiseOrOp, BitwiseXorOp, ShiftLeftOp, ShiftRightOp>(
      context);
}
