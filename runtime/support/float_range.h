//===- float_range.h - Bounds of floats -----------------------------------===//
//
// What is known about every element of a tensor. Records of ops say how bounds
// of results follow from those of operands, as expressions of the functions
// here (field `range`, include/ane/IR/ANEBase.td): the compiler evaluates them
// on its ops, the linter on statements. What they say holds in exact
// arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_SUPPORT_FLOAT_RANGE_H
#define ANE_RUNTIME_SUPPORT_FLOAT_RANGE_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>

namespace ane::rt {

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

  /// `most` where a hostile text has `least` above it.
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
template <typename Ranges>
FloatRange unite(const Ranges &ranges) {
  FloatRange all = FloatRange::empty();
  for (const FloatRange &range : ranges)
    all = {std::min(all.low, range.low), std::max(all.high, range.high)};
  return all;
}
inline FloatRange unite(std::initializer_list<FloatRange> ranges) {
  return unite<std::initializer_list<FloatRange>>(ranges);
}

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_FLOAT_RANGE_H
