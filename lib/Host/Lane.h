//===- Lane.h - the arithmetic of meanings, as code --------------*- C++ -*-===//
//
// The number with which expressions of the records (field `meaning`, Number.h) are instantiated to emit a kernel's
// code: one lane or one vector of it.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_LANE_H
#define ANE_LIB_HOST_LANE_H

#include "Scalar.h"

namespace mlir::ane::host {

struct Lane {
  Scalar *s;
  Value value;
  /// Of the op's operands; a bool counts as unsigned.
  Type element;

  bool isFloat() const { return isa<FloatType>(element); }
  bool isUnsigned() const { return element.isUnsignedInteger() || element.isInteger(1); }
  Lane with(Value other) const { return {s, other, element}; }
  /// A parameter of the op as such a number.
  Lane with(double parameter) const { return with(s->constant(value, parameter)); }
};

Lane operator+(Lane x, Lane y);
Lane operator-(Lane x, Lane y);
Lane operator-(Lane x);
Lane operator*(Lane x, Lane y);
Lane operator/(Lane x, Lane y);
Lane operator&(Lane x, Lane y);
Lane operator|(Lane x, Lane y);
Lane operator^(Lane x, Lane y);
Lane operator~(Lane x);
Lane logicalNot(Lane x);
Lane shiftLeft(Lane x, Lane y);
Lane shiftRight(Lane x, Lane y);

/// The results are of type i1.
Lane operator==(Lane x, Lane y);
Lane operator!=(Lane x, Lane y);
Lane operator<(Lane x, Lane y);
Lane operator<=(Lane x, Lane y);
Lane operator>(Lane x, Lane y);
Lane operator>=(Lane x, Lane y);
Lane choose(Lane condition, Lane x, Lane y);

Lane larger(Lane x, Lane y);
Lane smaller(Lane x, Lane y);
/// `y` is no NaN: two instructions less.
Lane larger(Lane x, double y);
Lane smaller(Lane x, double y);

Lane abs(Lane x);
Lane sign(Lane x);
Lane floorQuotient(Lane x, Lane y);
Lane floorRemainder(Lane x, Lane y);
Lane power(Lane x, Lane y);
Lane exp2(Lane x);

//===-- with parameters -----------------------------------------------------===//

inline Lane operator+(Lane x, double y) { return x + x.with(y); }
inline Lane operator+(double x, Lane y) { return y.with(x) + y; }
inline Lane operator*(Lane x, double y) { return x * x.with(y); }
inline Lane operator*(double x, Lane y) { return y.with(x) * y; }
inline Lane operator/(double x, Lane y) { return y.with(x) / y; }
inline Lane operator>=(Lane x, double y) { return x >= x.with(y); }
inline Lane choose(Lane condition, Lane x, double y) { return choose(condition, x, x.with(y)); }

//===-- functions of floats -------------------------------------------------===//

inline Lane ceil(Lane x) { return x.with(x.s->ceil(x.value)); }
inline Lane floor(Lane x) { return x.with(x.s->floor(x.value)); }
inline Lane round(Lane x) { return x.with(x.s->roundEven(x.value)); }
inline Lane sqrt(Lane x) { return x.with(x.s->sqrt(x.value)); }
inline Lane log(Lane x) { return x.with(x.s->log(x.value)); }
inline Lane log1p(Lane x) { return x.with(x.s->log1p(x.value)); }
inline Lane exp(Lane x) { return x.with(x.s->exp(x.value)); }
inline Lane expm1(Lane x) { return x.with(x.s->expm1(x.value)); }
inline Lane erf(Lane x) { return x.with(x.s->erf(x.value)); }
inline Lane acos(Lane x) { return x.with(x.s->acos(x.value)); }
inline Lane acosh(Lane x) { return x.with(x.s->acosh(x.value)); }
inline Lane asin(Lane x) { return x.with(x.s->asin(x.value)); }
inline Lane asinh(Lane x) { return x.with(x.s->asinh(x.value)); }
inline Lane atan(Lane x) { return x.with(x.s->atan(x.value)); }
inline Lane atanh(Lane x) { return x.with(x.s->atanh(x.value)); }
inline Lane cos(Lane x) { return x.with(x.s->cos(x.value)); }
inline Lane cosh(Lane x) { return x.with(x.s->cosh(x.value)); }
inline Lane sin(Lane x) { return x.with(x.s->sin(x.value)); }
inline Lane sinh(Lane x) { return x.with(x.s->sinh(x.value)); }
inline Lane tan(Lane x) { return x.with(x.s->tan(x.value)); }
inline Lane tanh(Lane x) { return x.with(x.s->tanh(x.value)); }
inline Lane sigmoid(Lane x) { return x.with(x.s->sigmoid(x.value)); }
inline Lane fma(Lane x, Lane y, Lane z) { return x.with(x.s->fma(x.value, y.value, z.value)); }
inline Lane fma(Lane x, double y, Lane z) { return fma(x, x.with(y), z); }

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_LANE_H
