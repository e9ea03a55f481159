//===- FloatRange.h - bounds of floats -------------------------*- C++ -*-===//
//
// What is known about every element of a tensor. Ops say how theirs follow from their operands' in field `range` of the
// record (ValueRangeOpInterface), as an expression of the functions here. They hold in exact arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_FLOATRANGE_H
#define ANE_IR_FLOATRANGE_H

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"
#include <limits>

namespace mlir::ane {

struct FloatRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  static FloatRange of(double value) { return {value, value}; }
  /// Of no element at all: neutral in `unite`.
  static FloatRange empty() {
    return {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  }

  /// Every element is known to have a magnitude of at most `bound`.
  bool isWithin(double bound) const { return low >= -bound && high <= bound; }
  /// Every element is known to have a magnitude above `bound`.
  bool isBeyond(double bound) const { return low > bound || high < -bound; }

  FloatRange clamped(double least, double most) const;
  FloatRange atLeast(double least) const;
  FloatRange magnitude() const;
  FloatRange square() const;
  /// Of the next integers below, above or nearest.
  FloatRange rounded() const;
  FloatRange exp() const;
  FloatRange sqrt() const;
  /// Of the sum of `count` such elements.
  FloatRange times(int64_t count) const;

  bool operator==(const FloatRange &other) const { return low == other.low && high == other.high; }
};

FloatRange operator+(FloatRange a, FloatRange b);
FloatRange operator-(FloatRange a, FloatRange b);
FloatRange operator*(FloatRange a, FloatRange b);
/// Unbounded unless all divisors are above 0.
FloatRange operator/(FloatRange a, FloatRange b);
FloatRange larger(FloatRange a, FloatRange b);
FloatRange smaller(FloatRange a, FloatRange b);
/// Of elements each of which is in one of `ranges`.
FloatRange unite(ArrayRef<FloatRange> ranges);

/// Takes the range of a result.
using SetFloatRange = function_ref<void(Value, FloatRange)>;

} // namespace mlir::ane

#endif // ANE_IR_FLOATRANGE_H
