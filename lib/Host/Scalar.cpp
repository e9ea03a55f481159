//===- Scalar.cpp - arithmetic of one lane or one vector ------------------===//

#include "Scalar.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

//===-- types and constants -----------------------------------------------===//

Type Scalar::like(Value value, Type element) {
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Value Scalar::constantOf(Type type, double v) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr scalar;
  if (auto floatType = dyn_cast<FloatType>(element))
    scalar = b.getFloatAttr(floatType, v);
  else
    scalar = b.getIntegerAttr(element, static_cast<int64_t>(v));
  if (auto vector = dyn_cast<VectorType>(type))
    scalar = DenseElementsAttr::get(vector, scalar);
  return b.create<arith::ConstantOp>(loc, scalar);
}

Value Scalar::constantInt(Type type, int64_t v) {
  TypedAttr scalar = b.getIntegerAttr(getElementTypeOrSelf(type), v);
  if (auto vector = dyn_cast<VectorType>(type))
    scalar = DenseElementsAttr::get(vector, scalar);
  return b.create<arith::ConstantOp>(loc, scalar);
}

Value Scalar::constant(Value value, double v) { return constantOf(value.getType(), v); }

Value Scalar::splatLike(Value scalar, Value value) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector || isa<VectorType>(scalar.getType()))
    return scalar;
  return b.create<vector::BroadcastOp>(loc, VectorType::get(vector.getShape(), scalar.getType()), scalar);
}

//===-- float arithmetic --------------------------------------------------===//

Value Scalar::fma(Value x, Value y, Value z) { return b.create<math::FmaOp>(loc, x, y, z); }
Value Scalar::abs(Value x) { return b.create<math::AbsFOp>(loc, x); }
Value Scalar::sqrt(Value x) { return b.create<math::SqrtOp>(loc, x); }
Value Scalar::floor(Value x) { return b.create<math::FloorOp>(loc, x); }
Value Scalar::ceil(Value x) { return b.create<math::CeilOp>(loc, x); }
Value Scalar::trunc(Value x) { return b.create<math::TruncOp>(loc, x); }
Value Scalar::roundEven(Value x) { return b.create<math::RoundEvenOp>(loc, x); }
Value Scalar::copySign(Value magnitude, Value sign) { return b.create<math::CopySignOp>(loc, magnitude, sign); }

Value Scalar::horner(Value x, ArrayRef<double> c) {
  Value sum = constant(x, c.back());
  for (double term : llvm::reverse(c.drop_back()))
    sum = fma(sum, x, constant(x, term));
  return sum;
}

Value Scalar::viaDouble(Value x, function_ref<Value(Value)> fn) {
  if (isDouble(x))
    return fn(x);
  Type narrow = x.getType();
  Value wide = b.create<arith::ExtFOp>(loc, like(x, b.getF64Type()), x);
  return b.create<arith::TruncFOp>(loc, narrow, fn(wide));
}

//===-- exponential family ------------------------------------------------===//

/// exp(x) = 2^n * (1 + q): sets n (a float) and returns q. |x| must be below 2^20.
Value Scalar::expParts(Value x, Value &n) {
  bool wide = isDouble(x);
  // ln 2 in two parts: n * high is exact.
  double high = wide ? 0x1.62e42fee00000p-1 : 0x1.62e400p-1, low = 0x1.62e42fefa39ef35793c7673007e5ed5e81e69p-1L - high;
  n = roundEven(mul(x, 1.4426950408889634));
  Value r = fma(n, constant(x, -high), x);
  return expm1Near0(fma(n, constant(x, -low), r));
}

/// e^r - 1 by Taylor terms r^(k+2)/(k+2)!: |r| <= 0.347.
Value Scalar::expm1Near0(Value r) {
  SmallVector<double> c;
  double factorial = 1;
  for (int k = 2, degree = isDouble(r) ? 14 : 7; k <= degree; ++k)
    c.push_back(1 / (factorial *= k));
  return fma(mul(r, r), horner(r, c), r);
}

/// x * 2^n, in two steps so that results below the normal range and infinity come out right. |n| <= 2 * bias.
Value Scalar::scaleByPowerOfTwo(Value x, Value n, double addend) {
  bool wide = isDouble(x);
  Type i32 = like(x, b.getI32Type()), bits = like(x, wide ? b.getI64Type() : b.getI32Type());
  // To i32 first: AVX2 has no conversion of doubles to i64.
  Value whole = b.create<arith::FPToSIOp>(loc, i32, n);
  Value half = b.create<arith::ShRSIOp>(loc, whole, constantInt(i32, 1));
  Value rest = b.create<arith::SubIOp>(loc, whole, half);
  auto power = [&](Value e) -> Value {
    if (wide)
      e = b.create<arith::ExtSIOp>(loc, bits, e);
    e = b.create<arith::AddIOp>(loc, e, constantInt(bits, wide ? 1023 : 127));
    e = b.create<arith::ShLIOp>(loc, e, constantInt(bits, wide ? 52 : 23));
    return b.create<arith::BitcastOp>(loc, x.getType(), e);
  };
  Value partly = mul(x, power(half)), factor = power(rest);
  return addend == 0 ? mul(partly, factor) : fma(partly, factor, constant(x, addend));
}

Value Scalar::exp(Value x) { return expPlus(x, 0); }

Value Scalar::expPlus(Value x, double addend) {
  bool wide = isDouble(x);
  // Beyond these the result is 0 or infinity anyway. min/max keep a NaN in their second argument.
  Value clamped = min(constant(x, wide ? 710 : 89), max(constant(x, wide ? -746 : -104), x));
  Value n, q = expParts(clamped, n);
  return scaleByPowerOfTwo(add(q, 1.0), n, addend);
}

Value Scalar::exp2(Value x) {
  bool wide = isDouble(x);
  Value clamped = min(constant(x, wide ? 1025 : 129), max(constant(x, wide ? -1076 : -151), x));
  Value n = roundEven(clamped), q = expm1Near0(mul(sub(clamped, n), 0.69314718055994530942));
  return scaleByPowerOfTwo(add(q, 1.0), n);
}

Value Scalar::expm1(Value x) {
  bool wide = isDouble(x);
  Value clamped = min(constant(x, wide ? 710 : 89), max(constant(x, wide ? -40 : -20), x));
  Value n, q = expParts(clamped, n);
  Value power = scaleByPowerOfTwo(constant(x, 1), n);
  // 2^n q + (2^n - 1): no cancellation for n = 0, and 2^n - 1 is exact where it matters.
  Value sum = fma(power, q, add(power, -1.0));
  // Where 2^n alone overflows the product must not become inf - inf.
  return select(compare(arith::CmpFPredicate::OGE, clamped, wide ? 709 : 88), exp(x), sum);
}

Value Scalar::log(Value x) {
  bool wide = isDouble(x);
  Type bits = like(x, wide ? b.getI64Type() : b.getI32Type());
  int mantissa = wide ? 52 : 23, bias = wide ? 1023 : 127;
  // Subnormal numbers are scaled into the normal range.
  double scale = std::ldexp(1.0, mantissa + 1);
  Value tiny = compare(arith::CmpFPredicate::OLT, x, std::ldexp(1.0, 1 - bias));
  Value normal = select(tiny, mul(x, scale), x);
  Value shift = select(tiny, constant(x, -(mantissa + 1.0)), constant(x, 0));
  // x = 2^e * m, m in [sqrt(1/2), sqrt(2)): subtract the bit pattern of sqrt(1/2), and the exponent field is e.
  int64_t root = wide ? 0x3fe6a09e667f3bcdLL : 0x3f3504f3;
  Value pattern = b.create<arith::BitcastOp>(loc, bits, normal);
  Value offset = b.create<arith::SubIOp>(loc, pattern, constantInt(bits, root));
  Value e = b.create<arith::ShRSIOp>(loc, offset, constantInt(bits, mantissa));
  Value m = b.create<arith::SubIOp>(loc, pattern, b.create<arith::ShLIOp>(loc, e, constantInt(bits, mantissa)));
  m = b.create<arith::BitcastOp>(loc, x.getType(), m);
  if (wide)
    e = b.create<arith::TruncIOp>(loc, like(x, b.getI32Type()), e);
  Value exponent = add(b.create<arith::SIToFPOp>(loc, x.getType(), e), shift);
  // log m = 2 atanh(s), s = (m-1)/(m+1), |s| <= 0.172.
  Value s = div(add(m, -1.0), add(m, 1.0)), z = mul(s, s);
  SmallVector<double> c;
  for (int k = 1, terms = wide ? 12 : 5; k <= terms; ++k)
    c.push_back(2.0 / (2 * k + 1));
  Value tail = mul(mul(s, z), horner(z, c));
  double high = wide ? 0x1.62e42fee00000p-1 : 0x1.62e400p-1, low = 0.69314718055994530942L - high;
  tail = fma(exponent, constant(x, low), tail);
  Value result = fma(exponent, constant(x, high), fma(s, constant(x, 2), tail));
  result = select(compare(arith::CmpFPredicate::OLT, x, 0.0), constant(x, NAN), result);
  result = select(compare(arith::CmpFPredicate::OEQ, x, 0.0), constant(x, -INFINITY), result);
  // Infinity and NaN stay.
  return select(compare(arith::CmpFPredicate::ULT, x, INFINITY),
                select(compare(arith::CmpFPredicate::UNO, x, x), x, result), x);
}

Value Scalar::log1p(Value x) {
  // log(w) * x / (w - 1) with w = 1 + x rounded: the rounding error of w cancels.
  Value w = add(x, 1.0), difference = add(w, -1.0);
  Value big = compare(arith::CmpFPredicate::UGE, difference, INFINITY);
  Value small = compare(arith::CmpFPredicate::OEQ, difference, 0.0);
  Value safe = select(small, constant(x, 1), difference);
  Value result = mul(log(w), div(x, safe));
  return select(small, x, select(big, log(w), result));
}

Value Scalar::tanh(Value x) {
  Value magnitude = min(constant(x, isDouble(x) ? 20 : 10), abs(x));
  Value t = expm1(mul(magnitude, 2.0));
  return copySign(div(t, add(t, 2.0)), x);
}

Value Scalar::sigmoid(Value x) {
  Value one = constant(x, 1);
  return div(one, expPlus(neg(x), 1));
}

/// f32: two polynomials, fitted by weighted least squares to 6e-9 relative (below 0.84) and 4e-9 absolute (above, for
/// -log(1 - erf)). f64: the series 2x/sqrt(pi) exp(-x^2) sum (2x^2)^k/(1 3 5 .. 2k+1), all of whose terms are positive.
Value Scalar::erf(Value x) {
  Value a = abs(x);
  if (isDouble(x)) {
    a = min(constant(x, 6), a);
    Value t = mul(mul(a, a), 2.0);
    Value first = b.create<arith::ConstantIndexOp>(loc, 0), last = b.create<arith::ConstantIndexOp>(loc, 170);
    Value step = b.create<arith::ConstantIndexOp>(loc, 1);
    auto loop = b.create<scf::ForOp>(loc, first, last, step, ValueRange{constant(x, 1)},
                                     [&](OpBuilder &inner, Location, Value i, ValueRange sums) {
                                       Scalar s(inner, loc, compute);
                                       Value k = inner.create<arith::IndexCastOp>(loc, inner.getI64Type(), i);
                                       Value divisor = inner.create<arith::SIToFPOp>(loc, inner.getF64Type(), k);
                                       // From the last term to the first: divisors 341, 339, .., 3.
                                       divisor = s.add(s.mul(divisor, -2.0), 341.0);
                                       Value next = s.fma(sums[0], s.div(t, s.splatLike(divisor, t)), s.constant(t, 1));
                                       inner.create<scf::YieldOp>(loc, next);
                                     });
    Value factor = mul(mul(a, 1.1283791670955126), exp(neg(mul(a, a))));
    // From 5.93 on 1 is nearest, which 1 + erf(x) must see.
    Value size = min(constant(x, 1), mul(factor, loop.getResult(0)));
    return copySign(select(compare(arith::CmpFPredicate::OGE, a, 5.93), constant(x, 1), size), x);
  }
  a = min(constant(x, 4), a);
  Value z = mul(a, a);
  Value low = mul(a, horner(z, {1.1283791616, -0.376125824109, 0.112828470941, -0.026808083361, 0.00506068461516,
                                -0.00063729760241}));
  Value g = horner(a, {0.000203405034073, 1.12759323447, 0.63741928342, 0.103624550536, -0.0220245498977,
                       0.00297703066219, -0.000187424715428});
  // g is in [0, 18]: no overflow, so one scaling step would do, but exp is shared.
  Value high = sub(constant(x, 1), exp(neg(g)));
  return copySign(select(compare(arith::CmpFPredicate::OLT, a, 0.84), low, high), x);
}

//===-- trigonometry: computed in double ----------------------------------===//

/// 2/pi behind the binary point, 64 bits a word, with a word of zeros before it.
static constexpr uint64_t kTwoOverPi[] = {0,
                                          0xa2f9836e4e441529,
                                          0xfc2757d1f534ddc0,
                                          0xdb6295993c439041,
                                          0xfe5163abdebbc561,
                                          0xb7246e3a424dd2e0,
                                          0x06492eea09d1921c,
                                          0xfe1deb1cb129a73e,
                                          0xe88235f52ebb4484,
                                          0xe99c7026b45f7e41,
                                          0x3991d639835339f4,
                                          0x9c845f8bbdf9283b,
                                          0x1ff897ffde05980f,
                                          0xef2f118b5a0a6d1f,
                                          0x6d367ecf27cb09b7,
                                          0x4f463f669e5fea2d,
                                          0x7527bac7ebe5f17b,
                                          0x3d0739f78a5292ea,
                                          0x6bfb5fb11f8d5d08,
                                          0x56033046fc7b6bab};

namespace {
/// An angle as `quarters` * pi/2 + `rest`; of large ones only quarters modulo 4.
struct Turn {
  Value quarters, rest;
};
} // namespace

/// Payne and Hanek's reduction, in integers. x is m * 2^e with m a whole number of 53 bits, and those bits of 2/pi that
/// stand for whole turns of m * 2^e count for nothing: 192 bits behind them give the quarter turns and, as no double is
/// nearer than 2^-62 to a whole number of them, a rest of full precision.
static Turn turnOfLarge(Scalar &s, Value x) {
  OpBuilder &b = s.b;
  Location loc = s.loc;
  Type i64 = b.getI64Type(), i128 = b.getIntegerType(128);
  auto word = [&](uint64_t v) { return s.constantInt(i64, static_cast<int64_t>(v)); };
  auto left = [&](Value v, Value by) -> Value { return b.create<arith::ShLIOp>(loc, v, by); };
  auto right = [&](Value v, Value by) -> Value { return b.create<arith::ShRUIOp>(loc, v, by); };
  auto plus = [&](Value v, Value w) -> Value { return b.create<arith::AddIOp>(loc, v, w); };
  auto both = [&](Value v, Value w) -> Value { return b.create<arith::OrIOp>(loc, v, w); };
  auto low = [&](Value v, Value mask) -> Value { return b.create<arith::AndIOp>(loc, v, mask); };
  Value bits = b.create<arith::BitcastOp>(loc, i64, s.abs(x));
  Value m = both(low(bits, word((1ull << 52) - 1)), word(1ull << 52));
  // e is the exponent - 1075, and the first bit that counts stands for 2 quarter turns: bit e - 1 behind the point.
  Value first = plus(right(bits, word(52)), word(-1013));
  Value index = right(first, word(6)), shift = low(first, word(63));
  SmallVector<int64_t> words(std::begin(kTwoOverPi), std::end(kTwoOverPi));
  auto type = VectorType::get(words.size(), i64);
  Value table = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(words)));
  Value loaded[4], window[3];
  for (int i = 0; i < 4; ++i) {
    Value at = b.create<arith::IndexCastOp>(loc, b.getIndexType(), plus(index, word(i)));
    loaded[i] = b.create<vector::ExtractElementOp>(loc, table, at);
  }
  Value rest = b.create<arith::SubIOp>(loc, word(63), shift);
  for (int i = 0; i < 3; ++i)
    window[i] = both(left(loaded[i], shift), right(right(loaded[i + 1], word(1)), rest));
  auto product = [&](Value w) -> Value {
    return b.create<arith::MulIOp>(loc, b.create<arith::ExtUIOp>(loc, i128, w), b.create<arith::ExtUIOp>(loc, i128, m));
  };
  Value sixtyFour = s.constantInt(i128, 64);
  Value middle = plus(product(window[1]), right(product(window[2]), sixtyFour));
  Value sum = plus(product(window[0]), right(middle, sixtyFour));
  Value high = b.create<arith::TruncIOp>(loc, i64, sum), behind = b.create<arith::TruncIOp>(loc, i64, middle);
  // The two bits before the point, rounded by the one behind it; the rest is in [-1/2, 1/2).
  Value quarters = plus(right(high, word(62)), low(right(high, word(61)), word(1)));
  Value fraction = both(left(high, word(2)), right(behind, word(62)));
  Value r = s.mul(b.create<arith::SIToFPOp>(loc, x.getType(), fraction), 0x1p-64);
  Value tail = b.create<arith::SIToFPOp>(loc, x.getType(), right(left(behind, word(2)), word(1)));
  r = s.mul(s.fma(tail, s.constant(x, 0x1p-127), r), 1.57079632679489661923);
  Value sign = s.copySign(s.constant(x, 1), x), finite = s.compare(arith::CmpFPredicate::OLT, s.abs(x), INFINITY);
  Value count = b.create<arith::SIToFPOp>(loc, x.getType(), quarters);
  return {s.mul(count, sign), s.select(finite, s.mul(r, sign), s.constant(x, NAN))};
}

/// The three-part reduction holds while k, the number of quarter turns, is exact. Where a lane is beyond 2^50, and in
/// no other case, lanes are looked at one by one.
static Turn turnOf(Scalar &s, Value x) {
  OpBuilder &b = s.b;
  Location loc = s.loc;
  Value k = s.roundEven(s.mul(x, 0.63661977236758134308));
  Value r = s.fma(k, s.constant(x, -0x1.921fb54400000p+0), x);
  r = s.fma(k, s.constant(x, -0x1.0b4611a600000p-34), r);
  r = s.fma(k, s.constant(x, -0x1.3198a2e037073p-69), r);
  auto isLarge = [](Scalar &s, Value v) { return s.compare(arith::CmpFPredicate::OGT, s.abs(v), 0x1p50); };
  Value any = isLarge(s, x);
  auto vector = dyn_cast<VectorType>(x.getType());
  if (vector)
    any = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, any);
  auto lane = [&](OpBuilder &body, Location, Value i, ValueRange turns) {
    Scalar inner(body, loc, s.compute);
    Value own = body.create<vector::ExtractElementOp>(loc, x, i);
    Turn turn = turnOfLarge(inner, own);
    Value large = isLarge(inner, own);
    auto replaced = [&](Value value, Value turned) -> Value {
      Value old = body.create<vector::ExtractElementOp>(loc, turned, i);
      return body.create<vector::InsertElementOp>(loc, inner.select(large, value, old), turned, i);
    };
    Value quarters = replaced(turn.quarters, turns[0]), rest = replaced(turn.rest, turns[1]);
    body.create<scf::YieldOp>(loc, ValueRange{quarters, rest});
  };
  auto large = [&](OpBuilder &branch, Location) {
    if (!vector) {
      Scalar inner(branch, loc, s.compute);
      Turn turn = turnOfLarge(inner, x);
      branch.create<scf::YieldOp>(loc, ValueRange{turn.quarters, turn.rest});
      return;
    }
    auto bound = [&](int64_t v) { return branch.create<arith::ConstantIndexOp>(loc, v); };
    Value first = bound(0), end = bound(vector.getDimSize(0)), step = bound(1);
    auto loop = branch.create<scf::ForOp>(loc, first, end, step, ValueRange{k, r}, lane);
    branch.create<scf::YieldOp>(loc, loop.getResults());
  };
  auto ordinary = [&](OpBuilder &branch, Location) { branch.create<scf::YieldOp>(loc, ValueRange{k, r}); };
  auto turned = b.create<scf::IfOp>(loc, any, large, ordinary);
  return {turned.getResult(0), turned.getResult(1)};
}

/// sin(x + quadrant * pi/2), where x is the turn.
static Value sinCosOf(Scalar &s, Turn turn, int quadrant) {
  auto [k, r] = turn;
  Value z = s.mul(r, r);
  SmallVector<double> sinTerms, cosTerms;
  double factorial = 1;
  for (int n = 1; n <= 18; ++n) {
    factorial *= n;
    double term = ((n / 2) % 2 ? -1 : 1) / factorial;
    if (n >= 2)
      (n % 2 ? sinTerms : cosTerms).push_back(term);
  }
  Value sinR = s.fma(s.mul(r, z), s.horner(z, sinTerms), r);
  Value cosR = s.fma(z, s.horner(z, cosTerms), s.constant(r, 1));
  // k mod 4 through floats: k may not fit an integer.
  Value turned = s.add(k, quadrant);
  Value mod4 = s.sub(turned, s.mul(s.floor(s.mul(turned, 0.25)), 4.0));
  Value odd = s.compare(arith::CmpFPredicate::OEQ, s.sub(mod4, s.mul(s.floor(s.mul(mod4, 0.5)), 2.0)), 1.0);
  Value value = s.select(odd, cosR, sinR);
  return s.select(s.compare(arith::CmpFPredicate::OGE, mod4, 2.0), s.neg(value), value);
}

Value Scalar::sinCos(Value x, int quadrant) { return sinCosOf(*this, turnOf(*this, x), quadrant); }

Value Scalar::tan(Value x) {
  return viaDouble(x, [&](Value v) {
    Turn turn = turnOf(*this, v);
    return div(sinCosOf(*this, turn, 0), sinCosOf(*this, turn, 1));
  });
}

/// atan: |x| > 1 by the reciprocal, then two halvings of the angle and the Taylor series on |t| <= 0.199.
Value Scalar::atanDouble(Value x) {
  Value a = abs(x);
  Value inverted = compare(arith::CmpFPredicate::OGT, a, 1.0);
  Value t = select(inverted, div(constant(x, 1), a), a);
  for (int i = 0; i < 2; ++i)
    t = div(t, add(sqrt(add(mul(t, t), 1.0)), 1.0));
  SmallVector<double> c;
  for (int k = 0; k < 12; ++k)
    c.push_back((k % 2 ? -4.0 : 4.0) / (2 * k + 1));
  Value angle = mul(t, horner(mul(t, t), c));
  angle = select(inverted, sub(constant(x, 1.5707963267948966), angle), angle);
  return copySign(angle, x);
}

Value Scalar::atan(Value x) {
  return viaDouble(x, [&](Value v) { return atanDouble(v); });
}

Value Scalar::asin(Value x) {
  return viaDouble(x, [&](Value v) {
    Value one = constant(v, 1);
    return atanDouble(div(v, sqrt(mul(sub(one, v), add(v, 1.0)))));
  });
}

Value Scalar::acos(Value x) {
  return viaDouble(x, [&](Value v) { return mul(atanDouble(sqrt(div(sub(constant(v, 1), v), add(v, 1.0)))), 2.0); });
}

Value Scalar::sinh(Value x) {
  return viaDouble(x, [&](Value v) {
    Value t = expm1(abs(v)), finite = min(constant(v, 1e300), t);
    return copySign(mul(add(t, div(finite, add(finite, 1.0))), 0.5), v);
  });
}

Value Scalar::cosh(Value x) {
  return viaDouble(x, [&](Value v) {
    Value e = exp(abs(v));
    return mul(add(e, div(constant(v, 1), e)), 0.5);
  });
}

Value Scalar::asinh(Value x) {
  return viaDouble(x, [&](Value v) {
    // u = a + a^2 / (sqrt(a^2 + 1) + 1), without squares that overflow.
    Value a = abs(v), bounded = min(constant(v, 1e150), a);
    Value u = fma(a, div(bounded, add(sqrt(add(mul(bounded, bounded), 1.0)), 1.0)), a);
    return copySign(log1p(u), v);
  });
}

Value Scalar::acosh(Value x) {
  return viaDouble(x, [&](Value v) {
    Value u = select(compare(arith::CmpFPredicate::OLT, v, 1.0), constant(v, NAN), add(v, -1.0));
    // Two roots: the product of their squares overflows.
    return log1p(add(u, mul(sqrt(u), sqrt(add(u, 2.0)))));
  });
}

Value Scalar::atanh(Value x) {
  return viaDouble(x, [&](Value v) { return mul(log1p(div(mul(v, 2.0), sub(constant(v, 1), v))), 0.5); });
}

/// x^y by multiplications where y is whole and small, so that a power that an f64 holds is that; else `otherwise`.
Value Scalar::wholePow(Value x, Value y, Value otherwise) {
  constexpr int bits = 6;
  Type integers = like(x, b.getI32Type());
  Value size = abs(y), most = constant(x, (1 << bits) - 1);
  Value isSmall = b.create<arith::AndIOp>(loc, compare(arith::CmpFPredicate::OLE, size, most),
                                          compare(arith::CmpFPredicate::OEQ, floor(y), y));
  Value count = b.create<arith::FPToSIOp>(loc, integers, select(isSmall, size, constant(x, 0)));
  Value one = constant(x, 1), product = one, square = x, zero = constantInt(integers, 0);
  for (int bit = 0; bit < bits; ++bit) {
    if (bit)
      square = mul(square, square);
    Value set = b.create<arith::AndIOp>(loc, count, constantInt(integers, 1 << bit));
    set = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, set, zero);
    product = mul(product, select(set, square, one));
  }
  // What underflows or overflows on the way to 1 / x^-y may not do so itself.
  Value isNegative = compare(arith::CmpFPredicate::OLT, y, 0.0);
  Value inverse = div(one, product), isFine = compare(arith::CmpFPredicate::ONE, abs(product), INFINITY);
  isFine = b.create<arith::AndIOp>(loc, isFine, compare(arith::CmpFPredicate::OGE, abs(product), 0x1p-1022));
  isFine = b.create<arith::OrIOp>(loc, isFine, compare(arith::CmpFPredicate::OGE, y, 0.0));
  return select(b.create<arith::AndIOp>(loc, isSmall, isFine), select(isNegative, inverse, product), otherwise);
}

Value Scalar::powOfIntegers(Value x, Value y, bool isSigned) {
  Type type = x.getType();
  unsigned width = elementOf(x).getIntOrFloatBitWidth();
  Value zero = constantInt(type, 0), one = constantInt(type, 1);
  auto isSet = [&](OpBuilder &b, Value bits) -> Value {
    Value low = b.create<arith::AndIOp>(loc, bits, one);
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, low, zero);
  };
  Value isOdd = isSet(b, y), exponent = y, isNegative;
  if (isSigned) {
    isNegative = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, y, zero);
    exponent = select(isNegative, zero, y);
  }
  Value first = b.create<arith::ConstantIndexOp>(loc, 0), last = b.create<arith::ConstantIndexOp>(loc, width);
  Value step = b.create<arith::ConstantIndexOp>(loc, 1);
  auto loop = b.create<scf::ForOp>(
      loc, first, last, step, ValueRange{one, x, exponent}, [&](OpBuilder &inner, Location, Value, ValueRange carried) {
        Value factor = inner.create<arith::SelectOp>(loc, isSet(inner, carried[2]), carried[1], one);
        Value product = inner.create<arith::MulIOp>(loc, carried[0], factor);
        Value square = inner.create<arith::MulIOp>(loc, carried[1], carried[1]);
        Value rest = inner.create<arith::ShRUIOp>(loc, carried[2], one);
        inner.create<scf::YieldOp>(loc, ValueRange{product, square, rest});
      });
  Value result = loop.getResult(0);
  if (!isSigned)
    return result;
  auto is = [&](int64_t v) -> Value {
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, constantInt(type, v));
  };
  Value inverse = select(is(1), one, select(is(-1), select(isOdd, constantInt(type, -1), one), zero));
  return select(isNegative, inverse, result);
}

Value Scalar::pow(Value x, Value y) {
  if (isDouble(x))
    return wholePow(x, y, powOfDoubles(x, y));
  Value wide = b.create<arith::ExtFOp>(loc, like(x, b.getF64Type()), x);
  Value exponent = b.create<arith::ExtFOp>(loc, like(y, b.getF64Type()), y);
  return b.create<arith::TruncFOp>(loc, x.getType(), powOfDoubles(wide, exponent));
}

/// Off by 1e-16 for each power of e: an f32 that is rounded from it is the right one or its neighbour.
Value Scalar::powOfDoubles(Value x, Value y) {
  // 1^y = 1 and (-1)^y = 1 for infinite y: 0 times infinity is 0 here.
  Value logarithm = log(abs(x)), exponent = mul(y, logarithm);
  Value size = exp(select(compare(arith::CmpFPredicate::OEQ, logarithm, 0.0), logarithm, exponent));
  Value whole = compare(arith::CmpFPredicate::OEQ, floor(y), y);
  Value half = mul(y, 0.5);
  Value odd = b.create<arith::AndIOp>(loc, whole, compare(arith::CmpFPredicate::ONE, floor(half), half));
  // A root of a finite number; of -0 and -infinity there is one.
  Value undefined = b.create<arith::AndIOp>(loc, compare(arith::CmpFPredicate::OGT, x, -INFINITY),
                                            compare(arith::CmpFPredicate::OLT, x, 0.0));
  Value negative = select(whole, select(odd, neg(size), size), select(undefined, constant(x, NAN), size));
  Value result = select(compare(arith::CmpFPredicate::OLT, copySign(constant(x, 1), x), 0.0), negative, size);
  // The exponent of a NaN is no integer: of one that LLVM knows all that comes of it would be undefined.
  result = select(compare(arith::CmpFPredicate::UNO, x, y), add(x, y), result);
  // x^0 = 1^y = 1, also for NaN and infinity.
  result = select(compare(arith::CmpFPredicate::OEQ, y, 0.0), constant(x, 1), result);
  return select(compare(arith::CmpFPredicate::OEQ, x, 1.0), constant(x, 1), result);
}
