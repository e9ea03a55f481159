//===- LegalizeSpellings.cpp - ops in forms that the engine computes ------===//
//
// Each rewrite is triggered by the record that it legalises, so that it happens only where the record holds.
//
//===----------------------------------------------------------------------===//

#include "ane/Constraint/Declined.h"
#include "ane/Constraint/Origin.h"
#include "ane/IR/Builders.h"
#include "ane/IR/ConstantEval.h"
#include "ane/IR/ConstantExpr.h"
#include "ane/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ane {
#define GEN_PASS_DEF_LEGALIZESPELLINGS
#include "ane/Transforms/Passes.h.inc"
} // namespace mlir::ane

using namespace mlir;
using namespace mlir::ane;

namespace {
struct LegalizeSpellings : mlir::ane::impl::LegalizeSpellingsBase<LegalizeSpellings> {
  using LegalizeSpellingsBase::LegalizeSpellingsBase;
  void runOnOperation() override;
};

/// Builds the legal form of one op before it; null when there is none.
class Speller {
public:
  Speller(Operation *op, const TargetEnv &env) : builder(op), b(builder, op->getLoc()), env(env) {}

  Value rsqrt(RsqrtOp op) {
    double epsilon = op.getEpsilon().convertToDouble();
    // Epsilons that are 0 in fp16 (MIL's default is 1e-12) change nothing.
    Value x = epsilon < smallestHalf / 2 ? op.getX() : b.add(op.getX(), epsilon);
    return b.div(b.scalar(x, 1.0), b.make<SqrtOp>(x));
  }

  Value log(LogOp op) {
    Value bounded = b.make<MaximumOp>(op.getX(), b.scalar(op.getX(), env.numeric(Numeric::SmallInput)));
    return b.make<LogOp>(bounded, op.getEpsilonAttr());
  }

  /// The sum of x / p, then p / n, with p the power of two above n: dividing first cannot overflow, and is exact.
  Value mean(ReduceMeanOp op) {
    auto from = cast<RankedTensorType>(op.getX().getType()), to = cast<RankedTensorType>(op.getType());
    int64_t count = from.getNumElements() / std::max<int64_t>(to.getNumElements(), 1);
    double power = double(llvm::PowerOf2Ceil(count));
    Value scaled = count == 1 ? op.getX() : b.mul(op.getX(), 1.0 / power);
    Value sum = b.make<ReduceSumOp>(op.getType(), scaled, op.getAxesAttr(), op.getKeepDimsAttr());
    return power == count ? sum : b.mul(sum, power / count);
  }

  Value pow(PowOp op) {
    Value x = op.getX();
    std::optional<double> exponent = getSplat(op.getY());
    double magnitude = std::abs(exponent.value_or(0));
    bool isRoot = magnitude == 0.5;
    if (x.getType() != op.getType() ||
        (!isRoot && (magnitude < 1 || magnitude > 8 || magnitude != std::floor(magnitude)))) {
      decline(op, ConstraintID::PowExponent, "products spell one exponent, a half or an integer of 1 to 8");
      return {};
    }
    // A power of a reciprocal overflows where the result does, the reciprocal of a power before.
    if (isRoot)
      x = b.make<SqrtOp>(x);
    if (*exponent < 0)
      x = b.div(b.scalar(x, 1.0), x);
    return isRoot ? x : power(x, unsigned(magnitude));
  }

  /// Twice a product with a triangle of halves, as what leaves a product ends at half of fp16's range (C77); null where
  /// the triangle is large or empty.
  Value cumsum(CumsumOp op) {
    constexpr int64_t longest = 1024;
    RankedTensorType type = op.getType();
    int64_t rank = type.getRank(), axis = op.getAxisFromFront(), length = type.getDimSize(axis);
    if (length == 0 || length > longest) {
      decline(op, ConstraintID::Cumsum, "a product with a triangle sums 1 to " + Twine(longest) + " elements");
      return Value();
    }
    auto square = RankedTensorType::get({length, length}, type.getElementType());
    // Row i of the weight has halves at what element i sums.
    Value halves = createSplat(builder, op.getLoc(), square, 0.5);
    Value triangle = op.getReverse() ? b.make<BandPartOp>(halves, 0, -1) : b.make<BandPartOp>(halves, -1, 0);
    if (op.getExclusive())
      triangle = b.sub(triangle, b.make<BandPartOp>(halves, 0, 0));
    SmallVector<int64_t> perm;
    for (int64_t i = 0; i < rank; ++i)
      if (i != axis)
        perm.push_back(i);
    perm.push_back(axis);
    Relayout last = Relayout::transpose(type.getShape(), perm);
    Value rows = RelayoutOp::create(builder, op.getLoc(), op.getX(), last, {type.getNumElements() / length, length});
    Value sums = b.mul(b.make<LinearOp>(rows, triangle, Value()), 2.0);
    return RelayoutOp::create(builder, op.getLoc(), sums, last.inverse(), type.getShape());
  }

  /// Two axes at a time, which are the last while they are padded.
  Value pad(PadOp op) {
    int64_t rank = op.getType().getRank();
    auto amounts = op.getBorder();
    SmallVector<int64_t> axes;
    for (auto [axis, amount] : llvm::enumerate(amounts))
      if (amount != std::pair<int64_t, int64_t>())
        axes.push_back(axis);
    Value value = op.getX();
    for (ArrayRef<int64_t> rest = axes; !rest.empty(); rest = rest.drop_front(std::min<size_t>(rest.size(), 2))) {
      ArrayRef<int64_t> moved = rest.take_front(2);
      SmallVector<int64_t> perm, inverse(rank), border;
      for (int64_t axis = 0; axis < rank; ++axis)
        if (!llvm::is_contained(moved, axis))
          perm.push_back(axis);
      llvm::append_range(perm, moved);
      for (auto [i, axis] : llvm::enumerate(perm))
        inverse[axis] = i;
      for (int64_t axis : moved)
        border.append({amounts[axis].first, amounts[axis].second});
      value = b.make<PadOp>(b.transpose(value, perm), builder.getDenseI64ArrayAttr(border), op.getModeAttr(),
                            op.getConstantValAttr());
      value = b.transpose(value, inverse);
    }
    return value;
  }

  /// To the nearest, halves to even: one above the floor where the rest is above a half, or a half above an odd floor.
  /// Each step is exact in fp16: what is 2,048 or more has no rest. Sums double, as products with a rounded value are
  /// wrong (C92).
  Value round(Value x) {
    Value below = b.make<FloorOp>(x), rest = b.sub(x, below), pairs = b.make<FloorOp>(b.mul(x, 0.5));
    Value parity = b.sub(below, b.add(pairs, pairs)), zero = b.scalar(x, 0), half = b.scalar(x, 0.5);
    Value ofHalf = b.make<SelectOp>(b.make<EqualOp>(rest, half), parity, zero);
    return b.add(below, b.make<SelectOp>(b.make<GreaterOp>(rest, half), b.scalar(x, 1), ofHalf));
  }

  /// max(x, 0) + log(1 + t) with t = e^-|x|. The logarithm is t times a polynomial in t, to 1e-3 in fp16
  /// (ane-op-chip-matrix.md 3.1, Q08): 1 + t itself would lose what is small.
  Value softplus(Value x) {
    static constexpr double coefficients[] = {-0.023681640625, 0.10028076171875, -0.2086181640625,
                                              0.324462890625,  -0.499267578125,  1.0};
    Value t = b.make<ExpOp>(b.mul(b.make<AbsOp>(x), -1.0));
    Value sum = polynomial(coefficients, t);
    return b.add(b.make<ReluOp>(x), b.mul(t, sum));
  }

  /// 1 / (1 + e^-x), with the fraction extended by e^x where x is negative: no power exceeds 1.
  Value sigmoid(SigmoidOp op) {
    Value x = op.getX();
    Value numerator = b.make<ExpOp>(b.make<MinimumOp>(x, b.scalar(x, 0)));
    return b.div(numerator, b.add(b.make<ExpOp>(b.mul(b.make<AbsOp>(x), -1.0)), 1.0));
  }

  /// Twice the arc tangent of half the angle's tangent t = x / (1 + sqrt(1 + x^2)), which is t times a polynomial in
  /// t^2, to 1.6e-3 in fp16. Both sides of the fraction are divided by max(|x|, 1), so that no square overflows.
  Value atan(AtanOp op) {
    static constexpr double coefficients[] = {0.04779052734375, -0.1834716796875, 0.3701171875, -0.66357421875, 2.0};
    Value x = op.getX(), one = b.scalar(x, 1.0);
    Value divisor = b.make<MaximumOp>(b.make<AbsOp>(x), one);
    Value sine = b.div(x, divisor), cosine = b.div(one, divisor);
    Value length = b.make<SqrtOp>(b.add(b.mul(sine, sine), b.mul(cosine, cosine)));
    Value t = b.div(sine, b.add(cosine, length));
    return b.mul(t, polynomial(coefficients, b.mul(t, t)));
  }

  Value parametric(SoftplusParametricOp op) {
    Value inner = b.mul(op.getX(), b.perChannel(op.getBeta(), op.getX()));
    return b.mul(softplus(inner), b.perChannel(op.getAlpha(), op.getX()));
  }

private:
  /// By Horner's rule, the highest power first.
  Value polynomial(ArrayRef<double> coefficients, Value x) {
    Value sum = b.scalar(x, coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = b.add(b.mul(x, sum), coefficient);
    return sum;
  }

  /// x^n by repeated squaring.
  Value power(Value x, unsigned n) {
    if (n == 1)
      return x;
    Value half = power(x, n / 2), square = b.mul(half, half);
    return n % 2 ? b.mul(square, x) : square;
  }

  EngineBuilder builder;
  Composer b;
  const TargetEnv &env;
};
} // namespace

void LegalizeSpellings::runOnOperation() {
  TargetEnv env = lookupTargetEnv(getOperation());
  auto violates = [&](ConstraintID id, Operation &op) { return check(id, &op, env).has_value(); };
  for (Operation &op : llvm::make_early_inc_range(getOperation().getEngine().front())) {
    Speller speller(&op, env);
    Value value;
    if (auto rsqrt = dyn_cast<RsqrtOp>(op); rsqrt && violates(ConstraintID::Rsqrt, op))
      value = speller.rsqrt(rsqrt);
    else if (auto log = dyn_cast<LogOp>(op); log && violates(ConstraintID::SmallArgument, op))
      value = speller.log(log);
    else if (auto mean = dyn_cast<ReduceMeanOp>(op); mean && violates(ConstraintID::ReduceMean, op))
      value = speller.mean(mean);
    else if (auto pow = dyn_cast<PowOp>(op); pow && violates(ConstraintID::PowExponent, op))
      value = speller.pow(pow);
    else if (auto pad = dyn_cast<PadOp>(op);
             pad && (violates(ConstraintID::PadForm, op) || violates(ConstraintID::CoreMLPad, op)))
      value = speller.pad(pad);
    else if (auto round = dyn_cast<RoundOp>(op); round && violates(ConstraintID::RoundLarge, op))
      value = speller.round(round.getX());
    else if (auto cumsum = dyn_cast<CumsumOp>(op); cumsum && violates(ConstraintID::Cumsum, op))
      value = speller.cumsum(cumsum);
    else if (auto sigmoid = dyn_cast<SigmoidOp>(op); sigmoid && wantsAccurate(ConstraintID::SigmoidSpelling, &op, env))
      value = speller.sigmoid(sigmoid);
    else if (auto atan = dyn_cast<AtanOp>(op); atan && wantsAccurate(ConstraintID::ArctangentSpelling, &op, env))
      value = speller.atan(atan);
    else if (auto softplus = dyn_cast<SoftplusOp>(op); softplus && violates(ConstraintID::SoftplusOverflow, op))
      value = speller.softplus(softplus.getX());
    else if (auto softplus = dyn_cast<SoftplusParametricOp>(op);
             softplus && violates(ConstraintID::SoftplusOverflow, op))
      value = speller.parametric(softplus);
    if (!value)
      continue;
    op.getResult(0).replaceAllUsesWith(value);
    op.erase();
  }
}
