//===- Scalar.h - arithmetic of one lane or one vector ---------*- C++ -*-===//
//
// Kernels are written once and emitted for scalars, for vectors, for f32 and for f64: every value that passes through
// `Scalar` is either a scalar or a one-dimensional vector. No function here leads to a library call: a host library
// imports nothing.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_SCALAR_H
#define ANE_LIB_HOST_SCALAR_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::ane::host {

class Scalar {
public:
  Scalar(OpBuilder &b, Location loc, FloatType compute) : b(b), loc(loc), compute(compute) {}

  OpBuilder &b;
  Location loc;
  /// The float type of arithmetic on all floats but f64, which stay f64: f32, or f64 in the reference build.
  FloatType compute;

  //===-- types and constants ---------------------------------------------===//

  /// `element`, or the vector of it that is as long as `value`.
  static Type like(Value value, Type element);
  static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }
  /// A constant of the type of `value` (float or integer).
  Value constant(Value value, double v);
  Value constantOf(Type type, double v);
  Value constantInt(Type type, int64_t v);
  /// A scalar becomes a vector as long as `value`; anything else stays.
  Value splatLike(Value scalar, Value value);

  //===-- float arithmetic ------------------------------------------------===//

  Value add(Value x, Value y) { return b.create<arith::AddFOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.create<arith::SubFOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulFOp>(loc, x, y); }
  Value div(Value x, Value y) { return b.create<arith::DivFOp>(loc, x, y); }
  Value neg(Value x) { return b.create<arith::NegFOp>(loc, x); }
  Value add(Value x, double y) { return add(x, constant(x, y)); }
  Value mul(Value x, double y) { return mul(x, constant(x, y)); }
  Value fma(Value x, Value y, Value z);
  Value abs(Value x);
  Value sqrt(Value x);
  Value floor(Value x);
  Value ceil(Value x);
  Value trunc(Value x);
  Value roundEven(Value x);
  Value copySign(Value magnitude, Value sign);
  Value compare(arith::CmpFPredicate p, Value x, Value y) { return b.create<arith::CmpFOp>(loc, p, x, y); }
  Value compare(arith::CmpFPredicate p, Value x, double y) { return compare(p, x, constant(x, y)); }
  Value select(Value c, Value x, Value y) { return b.create<arith::SelectOp>(loc, c, x, y); }
  /// Two instructions less than IEEE maximum. A NaN in `y` is kept, a NaN in `x` gives `y`.
  Value max(Value x, Value y) { return select(compare(arith::CmpFPredicate::OGT, x, y), x, y); }
  Value min(Value x, Value y) { return select(compare(arith::CmpFPredicate::OLT, x, y), x, y); }
  /// NaN where either is.
  Value maximum(Value x, Value y) { return select(compare(arith::CmpFPredicate::UNO, x, x), x, max(x, y)); }
  Value minimum(Value x, Value y) { return select(compare(arith::CmpFPredicate::UNO, x, x), x, min(x, y)); }
  /// c[0] + x*(c[1] + x*(...)).
  Value horner(Value x, ArrayRef<double> c);

  //===-- functions: at most 4 ulp in f32, 1e-15 relative in f64 ----------===//

  Value exp(Value x);
  /// Exact where x is whole.
  Value exp2(Value x);
  Value expm1(Value x);
  Value log(Value x);
  Value log1p(Value x);
  Value tanh(Value x);
  Value erf(Value x);
  Value sigmoid(Value x);
  Value sin(Value x) {
    return viaDouble(x, [&](Value v) { return sinCos(v, 0); });
  }
  Value cos(Value x) {
    return viaDouble(x, [&](Value v) { return sinCos(v, 1); });
  }
  Value tan(Value x);
  Value asin(Value x);
  Value acos(Value x);
  Value atan(Value x);
  Value sinh(Value x);
  Value cosh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value pow(Value x, Value y);
  /// Of integers, modulo 2^width. A negative exponent gives what is left of the quotient: 0, or 1 or -1 of these.
  Value powOfIntegers(Value x, Value y, bool isSigned);

  //===-- conversions -----------------------------------------------------===//

  /// Value of element type `from` (as in memory: bool is i8, unsigned is signless) to `to`, both as in the IR.
  /// Float to integer truncates toward zero and saturates.
  Value convert(Value x, Type from, Type to);
  /// What arithmetic uses for an IR element type: f64 for f64, `compute` for other floats, i1 for bool, signless
  /// integers.
  Type computeType(Type element) const;
  /// What memory holds for an IR element type: i8 for bool, signless integers, the float itself.
  static Type memoryType(Type element);
  Value fromMemory(Value x, Type element);
  Value toMemory(Value x, Type element);

private:
  bool isDouble(Value x) { return elementOf(x).isF64(); }
  Value viaDouble(Value x, function_ref<Value(Value)> fn);
  Value sinCos(Value x, int quadrant);
  Value atanDouble(Value x);
  Value expParts(Value x, Value &n);
  Value expm1Near0(Value r);
  Value wholePow(Value x, Value y, Value otherwise);
  Value powOfDoubles(Value x, Value y);
  Value scaleByPowerOfTwo(Value x, Value n, double addend = 0);
  /// e^x + addend, rounded once.
  Value expPlus(Value x, double addend);
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_SCALAR_H
