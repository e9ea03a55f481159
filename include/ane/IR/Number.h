//===- Number.h - the arithmetic of meanings --------------------*- C++ -*-===//
//
// What an element-wise op makes of its elements is one expression, which is instantiated for doubles and for integers
// of both kinds here, and by CPU code for the lanes of its vectors (lib/Host/Lane.h). These are the operations that
// such expressions are made of, where C++ has none of that meaning.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_NUMBER_H
#define ANE_IR_NUMBER_H

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace mlir::ane::number {

//===-- float64 -------------------------------------------------------------===//

inline double abs(double x) { return std::abs(x); }
/// NaN and zeros keep their sign.
inline double sign(double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }
/// NaN where either is NaN.
inline double larger(double x, double y) { return std::isnan(x) || x > y ? x : y; }
inline double smaller(double x, double y) { return std::isnan(x) || x < y ? x : y; }
inline double choose(bool condition, double x, double y) { return condition ? x : y; }
inline double floorQuotient(double x, double y) { return std::floor(x / y); }
/// With the sign of the divisor.
inline double floorRemainder(double x, double y) {
  double result = std::fmod(x, y);
  return result != 0 && std::signbit(result) != std::signbit(y) ? result + y : result;
}
/// x y + z, rounded once.
inline double fma(double x, double y, double z) { return std::fma(x, y, z); }
inline double power(double x, double y) { return std::pow(x, y); }
inline double ceil(double x) { return std::ceil(x); }
inline double floor(double x) { return std::floor(x); }
/// Ties to even.
inline double round(double x) { return std::nearbyint(x); }
inline double sqrt(double x) { return std::sqrt(x); }
inline double log(double x) { return std::log(x); }
inline double log1p(double x) { return std::log1p(x); }
inline double exp(double x) { return std::exp(x); }
inline double exp2(double x) { return std::exp2(x); }
inline double expm1(double x) { return std::expm1(x); }
inline double erf(double x) { return std::erf(x); }
inline double acos(double x) { return std::acos(x); }
inline double acosh(double x) { return std::acosh(x); }
inline double asin(double x) { return std::asin(x); }
inline double asinh(double x) { return std::asinh(x); }
inline double atan(double x) { return std::atan(x); }
inline double atanh(double x) { return std::atanh(x); }
inline double cos(double x) { return std::cos(x); }
inline double cosh(double x) { return std::cosh(x); }
inline double sin(double x) { return std::sin(x); }
inline double sinh(double x) { return std::sinh(x); }
inline double tan(double x) { return std::tan(x); }
inline double tanh(double x) { return std::tanh(x); }

//===-- floats of 32 bits or less: each step is rounded to fp32, as in kernels --===//

struct Single {
  float value = 0;
  Single() = default;
  Single(float value) : value(value) {}
  Single(double value) : value(float(value)) {}
  explicit operator double() const { return value; }
};

inline Single operator+(Single x, Single y) { return x.value + y.value; }
inline Single operator-(Single x, Single y) { return x.value - y.value; }
inline Single operator-(Single x) { return -x.value; }
inline Single operator*(Single x, Single y) { return x.value * y.value; }
inline Single operator/(Single x, Single y) { return x.value / y.value; }
inline bool operator==(Single x, Single y) { return x.value == y.value; }
inline bool operator!=(Single x, Single y) { return x.value != y.value; }
inline bool operator<(Single x, Single y) { return x.value < y.value; }
inline bool operator<=(Single x, Single y) { return x.value <= y.value; }
inline bool operator>(Single x, Single y) { return x.value > y.value; }
inline bool operator>=(Single x, Single y) { return x.value >= y.value; }
inline Single larger(Single x, Single y) { return larger(double(x), double(y)); }
inline Single smaller(Single x, Single y) { return smaller(double(x), double(y)); }
inline Single choose(bool condition, Single x, Single y) { return condition ? x : y; }
inline Single floorQuotient(Single x, Single y) { return std::floor(x.value / y.value); }
inline Single floorRemainder(Single x, Single y) { return floorRemainder(double(x), double(y)); }
inline Single fma(Single x, Single y, Single z) { return std::fma(x.value, y.value, z.value); }
inline Single power(Single x, Single y) { return power(double(x), double(y)); }
inline Single ceil(Single x) { return ceil(double(x)); }
inline Single floor(Single x) { return floor(double(x)); }
inline Single round(Single x) { return round(double(x)); }
inline Single sqrt(Single x) { return sqrt(double(x)); }
inline Single log(Single x) { return log(double(x)); }
inline Single log1p(Single x) { return log1p(double(x)); }
inline Single exp(Single x) { return exp(double(x)); }
inline Single exp2(Single x) { return exp2(double(x)); }
inline Single expm1(Single x) { return expm1(double(x)); }
inline Single erf(Single x) { return erf(double(x)); }
inline Single acos(Single x) { return acos(double(x)); }
inline Single acosh(Single x) { return acosh(double(x)); }
inline Single asin(Single x) { return asin(double(x)); }
inline Single asinh(Single x) { return asinh(double(x)); }
inline Single atan(Single x) { return atan(double(x)); }
inline Single atanh(Single x) { return atanh(double(x)); }
inline Single cos(Single x) { return cos(double(x)); }
inline Single cosh(Single x) { return cosh(double(x)); }
inline Single sin(Single x) { return sin(double(x)); }
inline Single sinh(Single x) { return sinh(double(x)); }
inline Single tan(Single x) { return tan(double(x)); }
inline Single tanh(Single x) { return tanh(double(x)); }
inline Single abs(Single x) { return abs(double(x)); }
inline Single sign(Single x) { return sign(double(x)); }

//===-- integers: modulo 2^64, of which a narrower result keeps its bits --===//

/// `T` is int64_t or uint64_t; `width` that of the element.
template <typename T>
struct Integer {
  T value = 0;
  unsigned width = 64;

  static constexpr bool isSigned = std::is_signed_v<T>;
  bool isNegative() const { return isSigned && (uint64_t(value) >> 63) != 0; }
  Integer with(uint64_t bits) const { return {T(bits), width}; }
  /// A parameter of the op as one.
  Integer with(double parameter) const { return with(uint64_t(int64_t(parameter))); }
};

template <typename T>
Integer<T> operator+(Integer<T> x, Integer<T> y) {
  return x.with(uint64_t(x.value) + uint64_t(y.value));
}
template <typename T>
Integer<T> operator-(Integer<T> x, Integer<T> y) {
  return x.with(uint64_t(x.value) - uint64_t(y.value));
}
template <typename T>
Integer<T> operator-(Integer<T> x) {
  return x.with(-uint64_t(x.value));
}
template <typename T>
Integer<T> operator*(Integer<T> x, Integer<T> y) {
  return x.with(uint64_t(x.value) * uint64_t(y.value));
}
/// Towards zero. The lowest number has no opposite: by -1 it is itself. By 0 every number is.
template <typename T>
Integer<T> operator/(Integer<T> x, Integer<T> y) {
  if (y.value == 0)
    return x;
  return y.value == T(-1) && y.isSigned ? -x : x.with(uint64_t(x.value / y.value));
}
template <typename T>
Integer<T> operator&(Integer<T> x, Integer<T> y) {
  return x.with(uint64_t(x.value) & uint64_t(y.value));
}
template <typename T>
Integer<T> operator|(Integer<T> x, Integer<T> y) {
  return x.with(uint64_t(x.value) | uint64_t(y.value));
}
template <typename T>
Integer<T> operator^(Integer<T> x, Integer<T> y) {
  return x.with(uint64_t(x.value) ^ uint64_t(y.value));
}
template <typename T>
Integer<T> operator~(Integer<T> x) {
  return x.with(~uint64_t(x.value));
}
template <typename T>
bool operator==(Integer<T> x, Integer<T> y) {
  return x.value == y.value;
}
template <typename T>
bool operator!=(Integer<T> x, Integer<T> y) {
  return x.value != y.value;
}
template <typename T>
bool operator<(Integer<T> x, Integer<T> y) {
  return x.value < y.value;
}
template <typename T>
bool operator<=(Integer<T> x, Integer<T> y) {
  return x.value <= y.value;
}
template <typename T>
bool operator>(Integer<T> x, Integer<T> y) {
  return y < x;
}
template <typename T>
bool operator>=(Integer<T> x, Integer<T> y) {
  return y <= x;
}

template <typename T>
Integer<T> larger(Integer<T> x, Integer<T> y) {
  return x > y ? x : y;
}
template <typename T>
Integer<T> larger(Integer<T> x, double parameter) {
  return larger(x, x.with(parameter));
}
template <typename T>
Integer<T> smaller(Integer<T> x, Integer<T> y) {
  return x < y ? x : y;
}
template <typename T>
Integer<T> abs(Integer<T> x) {
  return x.isNegative() ? -x : x;
}
template <typename T>
Integer<T> sign(Integer<T> x) {
  return x.with(x.isNegative() ? uint64_t(-1) : uint64_t(x.value != 0));
}
template <typename T>
Integer<T> floorQuotient(Integer<T> x, Integer<T> y) {
  Integer<T> quotient = x / y;
  bool isExact = y.value == 0 || quotient * y == x;
  return isExact || x.isNegative() == y.isNegative() ? quotient : quotient.with(uint64_t(quotient.value) - 1);
}
/// With the sign of the divisor.
template <typename T>
Integer<T> floorRemainder(Integer<T> x, Integer<T> y) {
  return x - floorQuotient(x, y) * y;
}
/// A negative exponent gives the quotient that is cut off: of 1 and -1 there is one, of all others it is 0.
template <typename T>
Integer<T> power(Integer<T> x, Integer<T> y) {
  bool isOdd = (uint64_t(y.value) & 1) != 0;
  if (y.isNegative()) {
    bool isUnit = x.value == T(1) || x.value == T(-1);
    return x.with(!isUnit ? uint64_t(0) : isOdd ? uint64_t(x.value) : uint64_t(1));
  }
  uint64_t result = 1, square = uint64_t(x.value);
  for (uint64_t rest = uint64_t(y.value); rest != 0; rest >>= 1, square *= square)
    if (rest & 1)
      result *= square;
  return x.with(result);
}
template <typename T>
Integer<T> exp2(Integer<T> x) {
  return power(x.with(uint64_t(2)), x);
}
/// Of a truth value.
template <typename T>
Integer<T> logicalNot(Integer<T> x) {
  return x.with(uint64_t(x.value == 0));
}
/// By the width or more, or a negative number: every bit is moved out.
template <typename T>
Integer<T> shiftLeft(Integer<T> x, Integer<T> y) {
  return x.with(uint64_t(y.value) < x.width ? uint64_t(x.value) << uint64_t(y.value) : uint64_t(0));
}
template <typename T>
Integer<T> shiftRight(Integer<T> x, Integer<T> y) {
  if (uint64_t(y.value) < x.width)
    return x.with(uint64_t(x.value >> uint64_t(y.value)));
  return x.with(x.isNegative() ? ~uint64_t(0) : uint64_t(0));
}

//===-- made of these ------------------------------------------------------===//

template <typename Number, typename Low, typename High>
Number clamp(Number x, Low low, High high) {
  return smaller(larger(x, low), high);
}
template <typename Number>
Number sigmoid(Number x) {
  return 1.0 / (1.0 + exp(-x));
}
template <typename Number>
Number softplus(Number x) {
  return larger(x, 0.0) + log1p(exp(-abs(x)));
}
template <typename Number>
Number leaky(Number x, double alpha) {
  return choose(x >= 0.0, x, alpha * x);
}

} // namespace mlir::ane::number

#endif // ANE_IR_NUMBER_H
