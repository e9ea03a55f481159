//===- ScalarConvert.cpp - elements as values, and between types -----------===//

#include "Scalar.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

Type Scalar::computeType(Type element) const {
  if (isa<FloatType>(element))
    return element.isF64() ? element : Type(compute);
  return IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
}

Type Scalar::memoryType(Type element) {
  if (isa<FloatType>(element))
    return element;
  return IntegerType::get(element.getContext(), std::max(8u, element.getIntOrFloatBitWidth()));
}

/// An f64 as an f32 whose last bit is set where others are lost, so that rounding it again rounds the f64.
static Value roundToOdd(OpBuilder &b, Location loc, Value x) {
  Scalar s(b, loc, b.getF32Type());
  Type integers = Scalar::like(x, b.getI32Type());
  Value near = b.create<arith::TruncFOp>(loc, Scalar::like(x, b.getF32Type()), x);
  Value back = b.create<arith::ExtFOp>(loc, x.getType(), near);
  auto flag = [&](Value v) -> Value { return b.create<arith::ExtUIOp>(loc, integers, v); };
  Value bits = b.create<arith::BitcastOp>(loc, integers, near);
  bits = b.create<arith::SubIOp>(loc, bits, flag(s.compare(arith::CmpFPredicate::OGT, s.abs(back), s.abs(x))));
  bits = b.create<arith::OrIOp>(loc, bits, flag(s.compare(arith::CmpFPredicate::ONE, back, x)));
  return b.create<arith::BitcastOp>(loc, near.getType(), bits);
}

static Value convertFloat(OpBuilder &b, Location loc, Value x, FloatType to) {
  auto from = cast<FloatType>(Scalar::elementOf(x));
  if (from == to)
    return x;
  // Half floats convert to and from f32 in hardware; a direct f64 conversion would be a library call.
  FloatType f32 = b.getF32Type();
  if (from.getWidth() == 16 && to.getWidth() != 32)
    return convertFloat(b, loc, convertFloat(b, loc, x, f32), to);
  if (to.getWidth() == 16 && from.getWidth() == 16)
    return convertFloat(b, loc, convertFloat(b, loc, x, f32), to);
  if (to.getWidth() == 16 && from.getWidth() == 64)
    return convertFloat(b, loc, roundToOdd(b, loc, x), to);
  if (from.isBF16()) {
    Value bits = b.create<arith::BitcastOp>(loc, Scalar::like(x, b.getI16Type()), x);
    Scalar s(b, loc, f32);
    bits = b.create<arith::ExtUIOp>(loc, Scalar::like(x, b.getI32Type()), bits);
    bits = b.create<arith::ShLIOp>(loc, bits, s.constantInt(bits.getType(), 16));
    return b.create<arith::BitcastOp>(loc, Scalar::like(x, f32), bits);
  }
  if (to.isBF16()) {
    // Round to nearest even on the bit pattern; a NaN is made quiet instead. (Selected at the end, LLVM would make of
    // it a selection of constants of bf16, and of that a call of a library.)
    Scalar s(b, loc, f32);
    Value bits = b.create<arith::BitcastOp>(loc, Scalar::like(x, b.getI32Type()), x);
    auto constant = [&](int64_t value) { return s.constantInt(bits.getType(), value); };
    Value isNaN = s.compare(arith::CmpFPredicate::UNO, x, x);
    Value odd = b.create<arith::AndIOp>(loc, b.create<arith::ShRUIOp>(loc, bits, constant(16)), constant(1));
    Value bias = s.select(isNaN, constant(0), b.create<arith::AddIOp>(loc, odd, constant(0x7fff)));
    Value quiet = b.create<arith::OrIOp>(loc, bits, s.select(isNaN, constant(0x400000), constant(0)));
    bits = b.create<arith::ShRUIOp>(loc, b.create<arith::AddIOp>(loc, quiet, bias), constant(16));
    bits = b.create<arith::TruncIOp>(loc, Scalar::like(x, b.getI16Type()), bits);
    return b.create<arith::BitcastOp>(loc, Scalar::like(x, to), bits);
  }
  if (from.getWidth() < to.getWidth())
    return b.create<arith::ExtFOp>(loc, Scalar::like(x, to), x);
  return b.create<arith::TruncFOp>(loc, Scalar::like(x, to), x);
}

Value Scalar::convert(Value x, Type from, Type to) {
  if (from == to)
    return x;
  Type result = like(x, computeType(to));
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (fromFloat && toFloat) {
    // Values are computed wide, whatever they are stored as; but a cast that is not to more bits rounds.
    if (to.getIntOrFloatBitWidth() <= from.getIntOrFloatBitWidth())
      x = convertFloat(b, loc, x, cast<FloatType>(to));
    return convertFloat(b, loc, x, cast<FloatType>(computeType(to)));
  }
  if (fromFloat) {
    if (to.isInteger(1))
      return compare(arith::CmpFPredicate::UNE, x, 0.0);
    unsigned width = to.getIntOrFloatBitWidth();
    bool isUnsigned = to.isUnsignedInteger();
    // The largest float below the limit: the conversion of anything beyond is undefined.
    int digits = isDouble(x) ? 53 : 24, magnitude = isUnsigned ? width : width - 1;
    double high = std::ldexp(1.0, magnitude) - (magnitude > digits ? std::ldexp(1.0, magnitude - digits) : 1);
    double low = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
    Value beyond = compare(arith::CmpFPredicate::OGT, x, high);
    x = max(constant(x, low), min(constant(x, high), x));
    x = select(compare(arith::CmpFPredicate::UNO, x, x), constant(x, 0), x);
    Value whole = isUnsigned ? b.create<arith::FPToUIOp>(loc, result, x).getResult()
                             : b.create<arith::FPToSIOp>(loc, result, x).getResult();
    if (magnitude <= digits)
      return whole;
    APInt most = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
    return select(beyond, constantInt(result, most.getSExtValue()), whole);
  }
  bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (toFloat) {
    Value number = isUnsigned ? b.create<arith::UIToFPOp>(loc, result, x).getResult()
                              : b.create<arith::SIToFPOp>(loc, result, x).getResult();
    if (to.getIntOrFloatBitWidth() >= 32)
      return number;
    number = convertFloat(b, loc, number, cast<FloatType>(to));
    return convertFloat(b, loc, number, cast<FloatType>(computeType(to)));
  }
  if (to.isInteger(1))
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, x, constantInt(x.getType(), 0));
  unsigned fromWidth = from.getIntOrFloatBitWidth(), toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return x;
  if (fromWidth > toWidth)
    return b.create<arith::TruncIOp>(loc, result, x);
  if (isUnsigned)
    return b.create<arith::ExtUIOp>(loc, result, x);
  return b.create<arith::ExtSIOp>(loc, result, x);
}

Value Scalar::fromMemory(Value x, Type element) {
  if (isa<FloatType>(element))
    return convertFloat(b, loc, x, cast<FloatType>(computeType(element)));
  if (element.isInteger(1))
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, x, constantInt(x.getType(), 0));
  return x;
}

Value Scalar::toMemory(Value x, Type element) {
  if (auto floatType = dyn_cast<FloatType>(element))
    return convertFloat(b, loc, x, floatType);
  if (element.isInteger(1))
    return b.create<arith::ExtUIOp>(loc, like(x, b.getI8Type()), x);
  return x;
}
