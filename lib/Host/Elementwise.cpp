//===- Elementwise.cpp - one lane of element-wise ops ---------------------===//

#include "Elementwise.h"
#include "OpView.h"
#include "RowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringMap.h"
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

/// A NaN on either side gives NaN: `chosen` keeps the one in x[1].
static Value keepNaN(Scalar &s, ValueRange x, Value chosen) {
  return s.select(s.compare(FPred::UNO, x[0], x[0]), x[0], chosen);
}

static Value maximum(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return keepNaN(s, x, s.max(x[0], x[1]));
  if (isUnsigned(op))
    return s.b.create<arith::MaxUIOp>(s.loc, x[0], x[1]);
  return s.b.create<arith::MaxSIOp>(s.loc, x[0], x[1]);
}

static Value minimum(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return keepNaN(s, x, s.min(x[0], x[1]));
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

/// The remainder with the sign of the divisor.
static Value modulo(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0]))
    return s.fma(s.neg(s.floor(s.div(x[0], x[1]))), x[1], x[0]);
  Value product = s.b.create<arith::MulIOp>(s.loc, floorDivInt(s, op, x[0], x[1]), x[1]);
  return s.b.create<arith::SubIOp>(s.loc, x[0], product);
}

/// On integers the quotient truncates, as ONNX Div does; MIL's real_div takes floats only. A constant divisor becomes a
/// factor, which costs half an ulp; not in the reference build.
static Value realDiv(Scalar &s, Operation *op, ValueRange x) {
  if (isFloat(x[0])) {
    std::optional<double> divisor = splatConstant(trace(op->getOperand(1)).root);
    if (divisor && *divisor != 0 && s.compute.isF32() && std::isnormal(static_cast<float>(1 / *divisor)))
      return s.mul(x[0], 1 / *divisor);
    return s.div(x[0], x[1]);
  }
  Value y = safeDivisor(s, x[0], x[1], !isUnsigned(op));
  if (isUnsigned(op))
    return s.b.create<arith::DivUIOp>(s.loc, x[0], y);
  return s.b.create<arith::DivSIOp>(s.loc, x[0], y);
}

static Value power(Scalar &s, Operation *op, ValueRange x) {
  auto toFloat = [&](Value v, unsigned i) { return isFloat(v) ? v : s.convert(v, operandElement(op, i), s.compute); };
  Value base = toFloat(x[0], 0), exponent = toFloat(x[1], 1);
  // A constant exponent that a multiplication or a root says exactly.
  Attribute attr;
  Value scalar = exponent;
  if (auto splat = exponent.getDefiningOp<vector::BroadcastOp>())
    scalar = splat.getSource();
  if (matchPattern(scalar, m_Constant(&attr))) {
    if (auto dense = dyn_cast<SplatElementsAttr>(attr))
      attr = dense.getSplatValue<Attribute>();
    double value = cast<FloatAttr>(attr).getValueAsDouble();
    if (value == 1 && isFloat(x[0]))
      return base;
    if (value == 2)
      exponent = s.mul(base, base);
    else if (value == 3)
      exponent = s.mul(s.mul(base, base), base);
    else if (value == 0.5)
      exponent = s.sqrt(base);
    else if (value == -0.5)
      exponent = s.div(s.constant(base, 1), s.sqrt(base));
    else if (value == -1)
      exponent = s.div(s.constant(base, 1), base);
    else
      exponent = s.pow(base, exponent);
  } else {
    exponent = s.pow(base, exponent);
  }
  return isFloat(x[0]) ? exponent : s.convert(exponent, s.compute, operandElement(op, 0));
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

static Value clip(Scalar &s, Operation *op, ValueRange x) {
  OpView view(op);
  Value low = s.constant(x[0], view.real("alpha")), high = s.constant(x[0], view.real("beta"));
  if (isFloat(x[0]))
    return s.min(high, s.max(low, x[0]));
  return s.b.create<arith::MinSIOp>(s.loc, high, s.b.create<arith::MaxSIOp>(s.loc, low, x[0]));
}

static Value castOp(Scalar &s, Operation *op, ValueRange x) {
  return s.convert(x[0], operandElement(op, 0), cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
}

static Value relu(Scalar &s, Operation *op, ValueRange x) {
  Value zero = s.constant(x[0], 0);
  if (isFloat(x[0]))
    return s.max(zero, x[0]);
  return s.b.create<arith::MaxSIOp>(s.loc, zero, x[0]);
}

static Value gelu(Scalar &s, Operation *op, ValueRange x) {
  StringRef mode = OpView(op).string("mode", "EXACT");
  Value half = s.mul(x[0], 0.5), inner;
  if (mode == "SIGMOID_APPROXIMATION")
    return s.mul(x[0], s.sigmoid(s.mul(x[0], 1.702)));
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

#define UNARY(EXPR)                                                                                                    \
  [](Scalar &s, Operation *op, ValueRange v) -> Value {                                                                \
    Value x = v[0];                                                                                                    \
    OpView o(op);                                                                                                      \
    (void)o;                                                                                                           \
    return EXPR;                                                                                                       \
  }
#define LOGIC(OP) [](Scalar &s, Operation *, ValueRange v) -> Value { return s.b.create<arith::OP>(s.loc, v[0], v[1]); }

static llvm::StringMap<ElementwiseInfo> makeTable() {
  llvm::StringMap<ElementwiseInfo> t;
  // Cheap: no more than a few cycles a vector.
  t["add"] = {binary<arith::AddFOp, arith::AddIOp>, true};
  t["sub"] = {binary<arith::SubFOp, arith::SubIOp>, true};
  t["mul"] = {binary<arith::MulFOp, arith::MulIOp>, true};
  t["real_div"] = {realDiv, true};
  t["maximum"] = {maximum, true};
  t["minimum"] = {minimum, true};
  t["equal"] = {compareOp<FPred::OEQ, IPred::eq, IPred::eq>, true};
  t["not_equal"] = {compareOp<FPred::UNE, IPred::ne, IPred::ne>, true};
  t["less"] = {compareOp<FPred::OLT, IPred::slt, IPred::ult>, true};
  t["less_equal"] = {compareOp<FPred::OLE, IPred::sle, IPred::ule>, true};
  t["greater"] = {compareOp<FPred::OGT, IPred::sgt, IPred::ugt>, true};
  t["greater_equal"] = {compareOp<FPred::OGE, IPred::sge, IPred::uge>, true};
  t["logical_and"] = {LOGIC(AndIOp), true};
  t["logical_or"] = {LOGIC(OrIOp), true};
  t["logical_xor"] = {LOGIC(XOrIOp), true};
  t["bitwise_and"] = {LOGIC(AndIOp), true};
  t["bitwise_or"] = {LOGIC(OrIOp), true};
  t["bitwise_xor"] = {LOGIC(XOrIOp), true};
  t["bitwise_not"] = {UNARY(s.b.create<arith::XOrIOp>(s.loc, x, s.constantInt(x.getType(), -1))), true};
  t["shift_left"] = {shift<true>, true};
  t["shift_right"] = {shift<false>, true};
  t["logical_not"] = {UNARY(s.b.create<arith::XOrIOp>(s.loc, x, s.constantInt(x.getType(), 1))), true};
  // Only where a copy is wanted: elsewhere it is a view.
  t["identity"] = {UNARY(x), true};
  t["select"] = {[](Scalar &s, Operation *, ValueRange v) { return s.select(v[0], v[1], v[2]); }, true};
  t["abs"] = {absolute, true};
  t["sign"] = {sign, true};
  t["square"] = {square, true};
  t["clip"] = {clip, true};
  t["cast"] = {castOp, true};
  t["relu"] = {relu, true};
  t["floor"] = {UNARY(isFloat(x) ? s.floor(x) : x), true};
  t["ceil"] = {UNARY(isFloat(x) ? s.ceil(x) : x), true};
  t["round"] = {UNARY(isFloat(x) ? s.roundEven(x) : x), true};
  t["relu6"] = {UNARY(s.min(s.constant(x, 6), s.max(s.constant(x, 0), x))), true};
  t["leaky_relu"] = {UNARY(ifPositive(s, x, s.mul(x, o.real("alpha", 0.01)))), true};
  t["linear_activation"] = {UNARY(s.fma(x, s.constant(x, o.real("alpha", 1)), s.constant(x, o.real("beta")))), true};
  t["threshold"] = {UNARY(s.max(s.constant(x, o.real("alpha")), x)), true};
  t["thresholded_relu"] = {UNARY(s.select(s.compare(FPred::OGE, x, o.real("alpha", 1)), x, s.constant(x, 0))), true};
  t["clamped_relu"] = {UNARY(s.min(s.constant(x, o.real("beta")), ifPositive(s, x, s.mul(x, o.real("alpha"))))), true};
  t["sigmoid_hard"] = {
      UNARY(s.min(s.constant(x, 1), s.max(s.constant(x, 0), s.fma(x, s.constant(x, o.real("alpha", 0.2)),
                                                                  s.constant(x, o.real("beta", 0.5)))))),
      true};
  // Expensive: stored where more than one pass needs them.
  t["floor_div"] = {floorDiv, false};
  t["mod"] = {modulo, false};
  t["pow"] = {power, false};
  t["gelu"] = {gelu, false};
  t["softplus"] = {softplus, false};
  t["acos"] = {UNARY(s.acos(x)), false};
  t["asin"] = {UNARY(s.asin(x)), false};
  t["atan"] = {UNARY(s.atan(x)), false};
  t["acosh"] = {UNARY(s.acosh(x)), false};
  t["asinh"] = {UNARY(s.asinh(x)), false};
  t["atanh"] = {UNARY(s.atanh(x)), false};
  t["cos"] = {UNARY(s.cos(x)), false};
  t["cosh"] = {UNARY(s.cosh(x)), false};
  t["sin"] = {UNARY(s.sin(x)), false};
  t["sinh"] = {UNARY(s.sinh(x)), false};
  t["tan"] = {UNARY(s.tan(x)), false};
  t["tanh"] = {UNARY(s.tanh(x)), false};
  t["erf"] = {UNARY(s.erf(x)), false};
  t["exp"] = {UNARY(s.exp(x)), false};
  t["exp2"] = {UNARY(s.exp(s.mul(x, 0.6931471805599453))), false};
  t["log"] = {UNARY(s.log(s.add(x, o.real("epsilon", 1e-45)))), false};
  t["inverse"] = {UNARY(s.div(s.constant(x, 1), s.add(x, o.real("epsilon", 1e-4)))), false};
  t["rsqrt"] = {UNARY(s.div(s.constant(x, 1), s.sqrt(s.add(x, o.real("epsilon", 1e-12))))), false};
  t["sqrt"] = {UNARY(s.sqrt(x)), false};
  t["sigmoid"] = {UNARY(s.sigmoid(x)), false};
  t["silu"] = {UNARY(s.mul(x, s.sigmoid(x))), false};
  t["softsign"] = {UNARY(s.div(x, s.add(s.abs(x), 1.0))), false};
  t["elu"] = {UNARY(ifPositive(s, x, s.mul(s.expm1(x), o.real("alpha", 1)))), false};
  t["scaled_tanh"] = {UNARY(s.mul(s.tanh(s.mul(x, o.real("beta", 1))), o.real("alpha", 1))), false};
  return t;
}

const ElementwiseInfo *host::lookupElementwise(Operation *op) {
  static const llvm::StringMap<ElementwiseInfo> table = makeTable();
  OpView view(op);
  if (!view.isAne())
    return nullptr;
  auto it = table.find(view.name());
  return it == table.end() ? nullptr : &it->second;
}
