//===- Lane.cpp - the arithmetic of meanings, as code ----------------------===//

#include "Lane.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

using FPred = arith::CmpFPredicate;
using IPred = arith::CmpIPredicate;

/// By the op for the kind of number.
template <typename FloatOp, typename IntOp>
static Lane binary(Lane x, Lane y) {
  Scalar &s = *x.s;
  return x.with(x.isFloat() ? s.b.create<FloatOp>(s.loc, x.value, y.value).getResult()
                            : s.b.create<IntOp>(s.loc, x.value, y.value).getResult());
}

template <typename SignedOp, typename UnsignedOp>
static Lane ofIntegers(Lane x, Lane y) {
  Scalar &s = *x.s;
  return x.with(x.isUnsigned() ? s.b.create<UnsignedOp>(s.loc, x.value, y.value).getResult()
                               : s.b.create<SignedOp>(s.loc, x.value, y.value).getResult());
}

template <typename IntOp>
static Lane integers(Lane x, Lane y) {
  return x.with(x.s->b.create<IntOp>(x.s->loc, x.value, y.value).getResult());
}

static Lane constantInt(Lane x, int64_t value) { return x.with(x.s->constantInt(x.value.getType(), value)); }

/// The number that all lanes are, if the code says so.
static std::optional<double> splatOf(Lane x) {
  Value scalar = x.value;
  if (auto splat = scalar.getDefiningOp<vector::BroadcastOp>())
    scalar = splat.getSource();
  Attribute attr;
  if (!matchPattern(scalar, m_Constant(&attr)))
    return std::nullopt;
  if (auto dense = dyn_cast<SplatElementsAttr>(attr))
    attr = dense.getSplatValue<Attribute>();
  auto number = dyn_cast<FloatAttr>(attr);
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

//===-- arithmetic ----------------------------------------------------------===//

Lane host::operator+(Lane x, Lane y) { return binary<arith::AddFOp, arith::AddIOp>(x, y); }
Lane host::operator-(Lane x, Lane y) { return binary<arith::SubFOp, arith::SubIOp>(x, y); }
Lane host::operator-(Lane x) { return x.isFloat() ? x.with(x.s->neg(x.value)) : constantInt(x, 0) - x; }
Lane host::operator*(Lane x, Lane y) { return binary<arith::MulFOp, arith::MulIOp>(x, y); }

/// Whether a product with the reciprocal of `divisor` is the quotient, to the bit: of powers of two. Others would be
/// half an ulp off, which `floor`, a comparison or a cast behind them makes a whole number.
static bool hasExactReciprocal(double divisor) {
  int exponent;
  return std::abs(std::frexp(divisor, &exponent)) == 0.5 && std::abs(exponent) < 126;
}

/// A divisor that can't trap: 0 and, of signed numbers, -1 under the lowest become 1, which gives x.
static Lane safeDivisor(Lane x, Lane y) {
  Lane bad = y == constantInt(y, 0);
  if (!x.isUnsigned()) {
    unsigned width = Scalar::elementOf(y.value).getIntOrFloatBitWidth();
    Lane lowest = constantInt(x, llvm::APInt::getSignedMinValue(width).getSExtValue());
    bad = bad | ((x == lowest) & (y == constantInt(y, -1)));
  }
  return choose(bad, constantInt(y, 1), y);
}

Lane host::operator/(Lane x, Lane y) {
  if (!x.isFloat())
    return ofIntegers<arith::DivSIOp, arith::DivUIOp>(x, safeDivisor(x, y));
  std::optional<double> divisor = splatOf(y);
  return x.with(divisor && hasExactReciprocal(*divisor) ? x.s->mul(x.value, 1 / *divisor) : x.s->div(x.value, y.value));
}

Lane host::floorQuotient(Lane x, Lane y) {
  if (x.isFloat())
    return x.with(x.s->floor(x.s->div(x.value, y.value)));
  Lane quotient = x / y;
  if (x.isUnsigned())
    return quotient;
  y = safeDivisor(x, y);
  Lane zero = constantInt(x, 0), isInexact = x - quotient * y != zero, areOpposite = (x ^ y) < zero;
  return choose(isInexact & areOpposite, quotient - constantInt(x, 1), quotient);
}

/// What is left of `x` (f64) behind a quotient by `divisor` that is rounded to an f64, which is an f64 again.
static Value lessQuotient(Scalar &s, Value x, Value divisor) {
  Value isLess = s.compare(FPred::OLT, s.abs(x), s.abs(divisor));
  return s.select(isLess, x, s.fma(s.neg(s.trunc(s.div(x, divisor))), divisor, x));
}

/// Doubles may be 2098 binary places apart, which is too far for a quotient: multiples of the divisor, at most 724
/// places apart, come first. Each quotient takes 50 places away or more.
static Value remainderOfDoubles(Scalar &s, Value x, Value y) {
  constexpr int quotients = 15;
  auto isBelow = [&](double limit) { return s.compare(FPred::OLT, s.abs(y), limit); };
  Value far = s.mul(y, 0x1p700), near = s.select(isBelow(0x1p300), far, y);
  far = s.select(isBelow(0x1p-400), s.mul(far, 0x1p700), near);
  for (Value divisor : {far, near, y}) {
    auto bound = [&](int64_t v) -> Value { return s.b.create<arith::ConstantIndexOp>(s.loc, v); };
    auto loop = s.b.create<scf::ForOp>(s.loc, bound(0), bound(quotients), bound(1), ValueRange{x},
                                       [&](OpBuilder &inner, Location, Value, ValueRange carried) {
                                         Scalar body(inner, s.loc, s.compute);
                                         inner.create<scf::YieldOp>(s.loc, lessQuotient(body, carried[0], divisor));
                                       });
    x = loop.getResult(0);
  }
  return x;
}

/// Exact. The remainder of two f32 is less than the divisor after 6 quotients, since each takes 53 of at most 277 bits
/// away.
Lane host::floorRemainder(Lane x, Lane y) {
  if (!x.isFloat())
    return x - floorQuotient(x, y) * y;
  constexpr int quotients = 6;
  Scalar wide(x.s->b, x.s->loc, x.s->b.getF64Type());
  auto widen = [&](Value value) {
    Type type = Scalar::like(value, wide.compute);
    return value.getType() == type ? value : Value(wide.b.create<arith::ExtFOp>(wide.loc, type, value));
  };
  Value remainder = widen(x.value), divisor = widen(y.value);
  if (x.element.isF64())
    remainder = remainderOfDoubles(wide, remainder, divisor);
  else
    for (int i = 0; i < quotients; ++i)
      remainder = lessQuotient(wide, remainder, divisor);
  Value side = wide.mul(remainder, wide.copySign(wide.constant(divisor, 1), divisor));
  remainder = wide.select(wide.compare(FPred::OLT, side, 0.0), wide.add(remainder, divisor), remainder);
  if (x.value.getType() == remainder.getType())
    return x.with(remainder);
  return x.with(wide.b.create<arith::TruncFOp>(wide.loc, x.value.getType(), remainder).getResult());
}

Lane host::power(Lane x, Lane y) {
  Scalar &s = *x.s;
  if (!x.isFloat())
    return x.with(s.powOfIntegers(x.value, y.value, !x.isUnsigned()));
  // A constant exponent that a multiplication or a root says exactly.
  double exponent = splatOf(y).value_or(0);
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return x * x;
  if (exponent == 3)
    return x * x * x;
  // A power of -0 is that of 0, and one of -infinity that of infinity; their roots are -0 and NaN.
  if (exponent == 0.5 || exponent == -0.5) {
    Lane root = sqrt(choose(x > x.with(-HUGE_VAL), x + 0.0, -x));
    return exponent == 0.5 ? root : 1.0 / root;
  }
  if (exponent == -1)
    return 1.0 / x;
  return x.with(s.pow(x.value, y.value));
}

Lane host::exp2(Lane x) {
  return x.isFloat() ? x.with(x.s->exp2(x.value))
                     : x.with(x.s->powOfIntegers(constantInt(x, 2).value, x.value, !x.isUnsigned()));
}

Lane host::abs(Lane x) {
  if (x.isFloat())
    return x.with(x.s->abs(x.value));
  return x.isUnsigned() ? x : x.with(x.s->b.create<math::AbsIOp>(x.s->loc, x.value).getResult());
}

Lane host::sign(Lane x) {
  if (!x.isFloat())
    return x.isUnsigned() ? smaller(x, constantInt(x, 1)) : larger(smaller(x, constantInt(x, 1)), constantInt(x, -1));
  Lane zero = x.with(0.0);
  return choose(x < zero, x.with(-1.0), choose(x > zero, x.with(1.0), x));
}

Lane host::larger(Lane x, Lane y) {
  return x.isFloat() ? x.with(x.s->maximum(x.value, y.value)) : ofIntegers<arith::MaxSIOp, arith::MaxUIOp>(x, y);
}
Lane host::smaller(Lane x, Lane y) {
  return x.isFloat() ? x.with(x.s->minimum(x.value, y.value)) : ofIntegers<arith::MinSIOp, arith::MinUIOp>(x, y);
}
Lane host::larger(Lane x, double y) {
  return x.isFloat() ? x.with(x.s->max(x.with(y).value, x.value)) : larger(x, x.with(y));
}
Lane host::smaller(Lane x, double y) {
  return x.isFloat() ? x.with(x.s->min(x.with(y).value, x.value)) : smaller(x, x.with(y));
}

//===-- bits ----------------------------------------------------------------===//

Lane host::operator&(Lane x, Lane y) { return integers<arith::AndIOp>(x, y); }
Lane host::operator|(Lane x, Lane y) { return integers<arith::OrIOp>(x, y); }
Lane host::operator^(Lane x, Lane y) { return integers<arith::XOrIOp>(x, y); }
Lane host::operator~(Lane x) { return x ^ constantInt(x, -1); }
Lane host::logicalNot(Lane x) { return x ^ constantInt(x, 1); }

/// Whether an amount is less than the width: more would be poison, and moves every bit out.
static Lane isInside(Lane x, Lane y) {
  unsigned width = Scalar::elementOf(x.value).getIntOrFloatBitWidth();
  return y.with(x.s->b.create<arith::CmpIOp>(x.s->loc, IPred::ult, y.value, constantInt(y, width).value).getResult());
}

Lane host::shiftLeft(Lane x, Lane y) {
  Lane inside = isInside(x, y), amount = choose(inside, y, constantInt(y, 0));
  return choose(inside, integers<arith::ShLIOp>(x, amount), constantInt(x, 0));
}

Lane host::shiftRight(Lane x, Lane y) {
  unsigned width = Scalar::elementOf(x.value).getIntOrFloatBitWidth();
  Lane inside = isInside(x, y), amount = choose(inside, y, constantInt(y, width - 1));
  if (!x.isUnsigned())
    return integers<arith::ShRSIOp>(x, amount);
  return choose(inside, integers<arith::ShRUIOp>(x, amount), constantInt(x, 0));
}

//===-- comparisons ---------------------------------------------------------===//

static Lane compare(Lane x, Lane y, FPred floats, IPred signedOnes, IPred unsignedOnes) {
  Scalar &s = *x.s;
  if (x.isFloat())
    return x.with(s.compare(floats, x.value, y.value));
  IPred predicate = x.isUnsigned() ? unsignedOnes : signedOnes;
  return x.with(s.b.create<arith::CmpIOp>(s.loc, predicate, x.value, y.value).getResult());
}

Lane host::operator==(Lane x, Lane y) { return compare(x, y, FPred::OEQ, IPred::eq, IPred::eq); }
Lane host::operator!=(Lane x, Lane y) { return compare(x, y, FPred::UNE, IPred::ne, IPred::ne); }
Lane host::operator<(Lane x, Lane y) { return compare(x, y, FPred::OLT, IPred::slt, IPred::ult); }
Lane host::operator<=(Lane x, Lane y) { return compare(x, y, FPred::OLE, IPred::sle, IPred::ule); }
Lane host::operator>(Lane x, Lane y) { return compare(x, y, FPred::OGT, IPred::sgt, IPred::ugt); }
Lane host::operator>=(Lane x, Lane y) { return compare(x, y, FPred::OGE, IPred::sge, IPred::uge); }

Lane host::choose(Lane condition, Lane x, Lane y) { return x.with(x.s->select(condition.value, x.value, y.value)); }
