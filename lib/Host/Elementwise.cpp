//===- Elementwise.cpp - one lane of element-wise ops ---------------------===//

#include "Elementwise.h"
#include "RowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

using FPred = arith::CmpFPredicate;
using IPred = arith::CmpIPredicate;

static bool isFloat(Value x) { return isa<FloatType>(Scalar::elementOf(x)); }
static Type operandElement(Operation *op, unsigned i) {
  return cast<RankedTensorType>(op->getOperand(i).getType()).getElementType();
}
static bool isUnsigned(Operation *op) {
  Type element = operandElement(op, op->getNumOperands() - 1);
  return element.isUnsignedInteger() || element.isInteger(1);
}

//===-- arithmetic on floats and integers ---------------------------------===//

template <typename FloatOp, typename IntOp>
static Value binary(Scalar &s, Operation *, ValueRange x) {
  if (isFloat(x[0]))
    return s.b.create<FloatOp>(s.loc, x[0], x[1]);
  return s.b.create<IntOp>(s.loc, x[0], x[1]);
}

template <FPred F, IPred Signed, IPred Unsigned>
static Value compareOp(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return s.compare(F, x[0], x[1]);
  return s.b.create<arith::CmpIOp>(s.loc, isUnsigned(op) ? Unsigned : Signed, x[0], x[1]);
}

static Value maximum(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return s.maximum(x[0], x[1]);
  if (isUnsigned(op))
    return s.b.create<arith::MaxUIOp>(s.loc, x[0], x[1]);
  return s.b.create<arith::MaxSIOp>(s.loc, x[0], x[1]);
}

static Value minimum(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return s.minimum(x[0], x[1]);
  if (isUnsigned(op))
    return s.b.create<arith::MinUIOp>(s.loc, x[0], x[1]);
  return s.b.create<arith::MinSIOp>(s.loc, x[0], x[1]);
}

/// A divisor that can't trap: 0 and, for signed types, the overflowing -1 give an unspecified number.
static Value safeDivisor(Scalar &s, Value x, Value y, bool isSigned) {
  Value zero = s.constantInt(y.getType(), 0), one = s.constantInt(y.getType(), 1);
  Value bad = s.b.create<arith::CmpIOp>(s.loc, IPred::eq, y, zero);
  if (isSigned) {
    unsigned width = Scalar::elementOf(y).getIntOrFloatBitWidth();
    Value lowest = s.constantInt(x.getType(), llvm::APInt::getSignedMinValue(width).getSExtValue());
    Value overflow =
        s.b.create<arith::AndIOp>(s.loc, s.b.create<arith::CmpIOp>(s.loc, IPred::eq, x, lowest),
                                  s.b.create<arith::CmpIOp>(s.loc, IPred::eq, y, s.constantInt(y.getType(), -1)));
    bad = s.b.create<arith::OrIOp>(s.loc, bad, overflow);
  }
  return s.select(bad, one, y);
}

static Value floorDivInt(Scalar &s, Operation *op, Value x, Value y) {
  bool isSigned = !isUnsigned(op);
  y = safeDivisor(s, x, y, isSigned);
  if (!isSigned)
    return s.b.create<arith::DivUIOp>(s.loc, x, y);
  Value zero = s.constantInt(x.getType(), 0);
  Value quotient = s.b.create<arith::DivSIOp>(s.loc, x, y);
  Value remainder = s.b.create<arith::SubIOp>(s.loc, x, s.b.create<arith::MulIOp>(s.loc, quotient, y));
  Value inexact = s.b.create<arith::CmpIOp>(s.loc, IPred::ne, remainder, zero);
  Value opposite = s.b.create<arith::CmpIOp>(s.loc, IPred::slt, s.b.create<arith::XOrIOp>(s.loc, x, y), zero);
  Value lower = s.b.create<arith::SubIOp>(s.loc, quotient, s.constantInt(x.getType(), 1));
  return s.select(s.b.create<arith::AndIOp>(s.loc, inexact, opposite), lower, quotient);
}

static Value floorDiv(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return s.floor(s.div(x[0], x[1]));
  return floorDivInt(s, op, x[0], x[1]);
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

/// The remainder of floats, exact. That of two f32 is less than the divisor after 6 quotients, since each takes 53 of
/// at most 277 bits away.
static Value moduloOfFloats(Scalar &s, Value x, Value y, bool areDoubles) {
  constexpr int quotients = 6;
  Scalar wide(s.b, s.loc, s.b.getF64Type());
  auto widen = [&](Value value) {
    Type type = Scalar::like(value, wide.compute);
    return value.getType() == type ? value : Value(s.b.create<arith::ExtFOp>(s.loc, type, value));
  };
  Value remainder = widen(x), divisor = widen(y);
  if (areDoubles)
    remainder = remainderOfDoubles(wide, remainder, divisor);
  else
    for (int i = 0; i < quotients; ++i)
      remainder = lessQuotient(wide, remainder, divisor);
  Value isOpposite = wide.compare(arith::CmpFPredicate::OLT,
                                  wide.mul(remainder, wide.copySign(wide.constant(divisor, 1), divisor)), 0.0);
  remainder = wide.select(isOpposite, wide.add(remainder, divisor), remainder);
  return x.getType() == remainder.getType() ? remainder
                                            : Value(s.b.create<arith::TruncFOp>(s.loc, x.getType(), remainder));
}

/// The remainder with the sign of the divisor.
static Value modulo(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return moduloOfFloats(s, x[0], x[1], operandElement(op, 0).isF64());
  Value product = s.b.create<arith::MulIOp>(s.loc, floorDivInt(s, op, x[0], x[1]), x[1]);
  return s.b.create<arith::SubIOp>(s.loc, x[0], product);
}

/// Whether a product with the reciprocal of `divisor` is the quotient, to the bit: of powers of two. Others would be
/// half an ulp off, which `floor`, a comparison or a cast behind them makes a whole number.
static bool hasExactReciprocal(double divisor) {
  int exponent;
  return std::abs(std::frexp(divisor, &exponent)) == 0.5 && std::abs(exponent) < 126;
}

/// On integers the quotient truncates, as ONNX Div does; MIL's real_div takes floats only.
static Value realDiv(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0])) {
    std::optional<double> divisor = splatConstant(trace(op->getOperand(1)).root);
    return divisor && hasExactReciprocal(*divisor) ? s.mul(x[0], 1 / *divisor) : s.div(x[0], x[1]);
  }
  Value y = safeDivisor(s, x[0], x[1], !isUnsigned(op));
  if (isUnsigned(op))
    return s.b.create<arith::DivUIOp>(s.loc, x[0], y);
  return s.b.create<arith::DivSIOp>(s.loc, x[0], y);
}

static Value power(Scalar &s, Operation *op, ValueRange x) {
  if (!isFloat(x[0]))
    return s.powOfIntegers(x[0], x[1], !isUnsigned(op));
  Value base = x[0], exponent = x[1];
  // A constant exponent that a multiplication or a root says exactly.
  Attribute attr;
  Value scalar = exponent;
  if (auto splat = exponent.getDefiningOp<vector::BroadcastOp>())
    scalar = splat.getSource();
  if (matchPattern(scalar, m_Constant(&attr))) {
    if (auto dense = dyn_cast<SplatElementsAttr>(attr))
      attr = dense.getSplatValue<Attribute>();
    double value = cast<FloatAttr>(attr).getValueAsDouble();
    if (value == 1)
      return base;
    if (value == 2)
      return s.mul(base, base);
    if (value == 3)
      return s.mul(s.mul(base, base), base);
    if (value == 0.5)
      return s.sqrt(base);
    if (value == -0.5)
      return s.div(s.constant(base, 1), s.sqrt(base));
    if (value == -1)
      return s.div(s.constant(base, 1), base);
  }
  return s.pow(base, exponent);
}

static Value absolute(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return s.abs(x[0]);
  return isUnsigned(op) ? x[0] : Value(s.b.create<math::AbsIOp>(s.loc, x[0]));
}

static Value sign(Scalar &s, Operation *op, ValueRange x) {
  Value zero = s.constant(x[0], 0), one = s.constant(x[0], 1);
  if (isFloat(x[0])) {
    Value result = s.select(s.compare(FPred::OGT, x[0], zero), one, x[0]);
    return s.select(s.compare(FPred::OLT, x[0], zero), s.constant(x[0], -1), result);
  }
  if (isUnsigned(op))
    return s.b.create<arith::MinUIOp>(s.loc, x[0], one);
  return s.b.create<arith::MaxSIOp>(s.loc, s.constantInt(x[0].getType(), -1),
                                    s.b.create<arith::MinSIOp>(s.loc, x[0], one));
}

/// Amounts from the width of the element on would be poison: they move every bit out.
template <bool Left>
static Value shift(Scalar &s, Operation *op, ValueRange x) {
  unsigned width = Scalar::elementOf(x[0]).getIntOrFloatBitWidth();
  bool isSigned = !isUnsigned(op);
  Value all = s.constantInt(x[1].getType(), width), last = s.constantInt(x[1].getType(), width - 1);
  Value inside = s.b.create<arith::CmpIOp>(s.loc, IPred::ult, x[1], all);
  Value amount = s.select(inside, x[1], last), zero = s.constantInt(x[0].getType(), 0);
  if (Left)
    return s.select(inside, s.b.create<arith::ShLIOp>(s.loc, x[0], amount), zero);
  if (isSigned)
    return s.b.create<arith::ShRSIOp>(s.loc, x[0], amount);
  return s.select(inside, s.b.create<arith::ShRUIOp>(s.loc, x[0], amount), zero);
}

static Value square(Scalar &s, Operation *op, ValueRange x) {
  return binary<arith::MulFOp, arith::MulIOp>(s, op, {x[0], x[0]});
}

static Value clipOp(Scalar &s, Operation *op, ValueRange x) {
  auto clip = cast<ClipOp>(op);
  Value low = s.constant(x[0], clip.getAlpha().convertToDouble());
  Value high = s.constant(x[0], clip.getBeta().convertToDouble());
  return s.min(high, s.max(low, x[0]));
}

static Value castOp(Scalar &s, Operation *op, ValueRange x) {
  return s.convert(x[0], operandElement(op, 0), cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
}

static Value gelu(Scalar &s, Operation *op, ValueRange x) {
  StringRef mode = cast<GeluOp>(op).getMode();
  Value half = s.mul(x[0], 0.5), inner;
  if (mode == "SIGMOID_APPROXIMATION")
    return s.div(x[0], s.add(s.exp(s.mul(x[0], -1.702)), 1.0)); // rounds once less than x times a sigmoid
  if (mode == "TANH_APPROXIMATION") {
    Value cube = s.mul(s.mul(x[0], x[0]), x[0]);
    inner = s.tanh(s.mul(s.fma(cube, s.constant(cube, 0.044715), x[0]), 0.7978845608028654));
  } else {
    inner = s.erf(s.mul(x[0], 0.7071067811865476));
  }
  return s.fma(half, inner, half);
}

static Value softplus(Scalar &s, Operation *, ValueRange x) {
  Value zero = s.constant(x[0], 0);
  return s.add(s.max(zero, x[0]), s.log1p(s.exp(s.neg(s.abs(x[0])))));
}

/// x where x is positive, else `negative`.
static Value ifPositive(Scalar &s, Value x, Value negative) {
  return s.select(s.compare(FPred::OGE, x, 0.0), x, negative);
}

/// An op of one operand, `x`; `o` is the op.
#define UNARY(OP, CHEAP, EXPR)                                                                                         \
  t[TypeID::get<OP>()] = {[](Scalar &s, Operation *op, ValueRange v) -> Value {                                        \
                            Value x = v[0];                                                                            \
                            auto o = cast<OP>(op);                                                                     \
                            (void)o;                                                                                   \
                            return EXPR;                                                                               \
                          },                                                                                           \
                          CHEAP}
#define LOGIC(OP) [](Scalar &s, Operation *, ValueRange v) -> Value { return s.b.create<arith::OP>(s.loc, v[0], v[1]); }

static DenseMap<TypeID, ElementwiseInfo> makeTable() {
  DenseMap<TypeID, ElementwiseInfo> t;
  // Cheap: no more than a few cycles a vector.
  t[TypeID::get<AddOp>()] = {binary<arith::AddFOp, arith::AddIOp>, true};
  t[TypeID::get<SubOp>()] = {binary<arith::SubFOp, arith::SubIOp>, true};
  t[TypeID::get<MulOp>()] = {binary<arith::MulFOp, arith::MulIOp>, true};
  t[TypeID::get<RealDivOp>()] = {realDiv, true};
  t[TypeID::get<MaximumOp>()] = {maximum, true};
  t[TypeID::get<MinimumOp>()] = {minimum, true};
  t[TypeID::get<EqualOp>()] = {compareOp<FPred::OEQ, IPred::eq, IPred::eq>, true};
  t[TypeID::get<NotEqualOp>()] = {compareOp<FPred::UNE, IPred::ne, IPred::ne>, true};
  t[TypeID::get<LessOp>()] = {compareOp<FPred::OLT, IPred::slt, IPred::ult>, true};
  t[TypeID::get<LessEqualOp>()] = {compareOp<FPred::OLE, IPred::sle, IPred::ule>, true};
  t[TypeID::get<GreaterOp>()] = {compareOp<FPred::OGT, IPred::sgt, IPred::ugt>, true};
  t[TypeID::get<GreaterEqualOp>()] = {compareOp<FPred::OGE, IPred::sge, IPred::uge>, true};
  t[TypeID::get<LogicalAndOp>()] = {LOGIC(AndIOp), true};
  t[TypeID::get<LogicalOrOp>()] = {LOGIC(OrIOp), true};
  t[TypeID::get<LogicalXorOp>()] = {LOGIC(XOrIOp), true};
  t[TypeID::get<BitwiseAndOp>()] = {LOGIC(AndIOp), true};
  t[TypeID::get<BitwiseOrOp>()] = {LOGIC(OrIOp), true};
  t[TypeID::get<BitwiseXorOp>()] = {LOGIC(XOrIOp), true};
  UNARY(BitwiseNotOp, true, s.b.create<arith::XOrIOp>(s.loc, x, s.constantInt(x.getType(), -1)));
  t[TypeID::get<ShiftLeftOp>()] = {shift<true>, true};
  t[TypeID::get<ShiftRightOp>()] = {shift<false>, true};
  UNARY(LogicalNotOp, true, s.b.create<arith::XOrIOp>(s.loc, x, s.constantInt(x.getType(), 1)));
  // Only where a copy is wanted: elsewhere it is a view.
  UNARY(IdentityOp, true, x);
  t[TypeID::get<SelectOp>()] = {[](Scalar &s, Operation *, ValueRange v) { return s.select(v[0], v[1], v[2]); }, true};
  t[TypeID::get<AbsOp>()] = {absolute, true};
  t[TypeID::get<SignOp>()] = {sign, true};
  t[TypeID::get<SquareOp>()] = {square, true};
  t[TypeID::get<ClipOp>()] = {clipOp, true};
  t[TypeID::get<CastOp>()] = {castOp, true};
  UNARY(ReluOp, true, s.max(s.constant(x, 0), x));
  UNARY(FloorOp, true, isFloat(x) ? s.floor(x) : x);
  UNARY(CeilOp, true, isFloat(x) ? s.ceil(x) : x);
  UNARY(RoundOp, true, isFloat(x) ? s.roundEven(x) : x);
  UNARY(Relu6Op, true, s.min(s.constant(x, 6), s.max(s.constant(x, 0), x)));
  UNARY(LeakyReluOp, true, ifPositive(s, x, s.mul(x, o.getAlpha().convertToDouble())));
  UNARY(LinearActivationOp, true,
        s.fma(x, s.constant(x, o.getAlpha().convertToDouble()), s.constant(x, o.getBeta().convertToDouble())));
  UNARY(ThresholdOp, true, s.max(s.constant(x, o.getAlpha().convertToDouble()), x));
  UNARY(ThresholdedReluOp, true,
        s.select(s.compare(FPred::OGE, x, o.getAlpha().convertToDouble()), x, s.constant(x, 0)));
  UNARY(
      ClampedReluOp, true,
      s.min(s.constant(x, o.getBeta().convertToDouble()), ifPositive(s, x, s.mul(x, o.getAlpha().convertToDouble()))));
  UNARY(SigmoidHardOp, true,
        s.min(s.constant(x, 1), s.max(s.constant(x, 0), s.fma(x, s.constant(x, o.getAlpha().convertToDouble()),
                                                              s.constant(x, o.getBeta().convertToDouble())))));
  // Expensive: stored where more than one pass needs them.
  t[TypeID::get<FloorDivOp>()] = {floorDiv, false};
  t[TypeID::get<ModOp>()] = {modulo, false};
  t[TypeID::get<PowOp>()] = {power, false};
  t[TypeID::get<GeluOp>()] = {gelu, false};
  t[TypeID::get<SoftplusOp>()] = {softplus, false};
  UNARY(AcosOp, false, s.acos(x));
  UNARY(AsinOp, false, s.asin(x));
  UNARY(AtanOp, false, s.atan(x));
  UNARY(AcoshOp, false, s.acosh(x));
  UNARY(AsinhOp, false, s.asinh(x));
  UNARY(AtanhOp, false, s.atanh(x));
  UNARY(CosOp, false, s.cos(x));
  UNARY(CoshOp, false, s.cosh(x));
  UNARY(SinOp, false, s.sin(x));
  UNARY(SinhOp, false, s.sinh(x));
  UNARY(TanOp, false, s.tan(x));
  UNARY(TanhOp, false, s.tanh(x));
  UNARY(ErfOp, false, s.erf(x));
  UNARY(ExpOp, false, s.exp(x));
  UNARY(Exp2Op, false, s.exp2(x));
  UNARY(LogOp, false, s.log(s.add(x, o.getEpsilon().convertToDouble())));
  UNARY(InverseOp, false, s.div(s.constant(x, 1), s.add(x, o.getEpsilon().convertToDouble())));
  UNARY(RsqrtOp, false, s.div(s.constant(x, 1), s.sqrt(s.add(x, o.getEpsilon().convertToDouble()))));
  UNARY(SqrtOp, false, s.sqrt(x));
  UNARY(SigmoidOp, false, s.sigmoid(x));
  UNARY(SiluOp, false, s.mul(x, s.sigmoid(x)));
  UNARY(SoftsignOp, false, s.div(x, s.add(s.abs(x), 1.0)));
  UNARY(EluOp, false, ifPositive(s, x, s.mul(s.expm1(x), o.getAlpha().convertToDouble())));
  UNARY(ScaledTanhOp, false, s.mul(s.tanh(s.mul(x, o.getBeta().convertToDouble())), o.getAlpha().convertToDouble()));
  return t;
}

const ElementwiseInfo *host::lookupElementwise(Operation *op) {
  static const DenseMap<TypeID, ElementwiseInfo> table = makeTable();
  auto it = table.find(op->getName().getTypeID());
  return it == table.end() ? nullptr : &it->second;
}
