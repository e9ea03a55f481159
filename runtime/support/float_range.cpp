//===- float_range.cpp - Bounds of floats ---------------------------------===//

#include "runtime/support/float_range.h"

#include <cmath>

namespace ane::rt {

/// 0 times infinity is 0 here: a bound of 0 is exact.
static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

FloatRange FloatRange::clamped(double least, double most) const {
  // Not std::clamp, which needs least <= most.
  return {std::min(std::max(low, least), most), std::min(std::max(high, least), most)};
}

FloatRange FloatRange::atLeast(double least) const { return {std::max(low, least), std::max(high, least)}; }

FloatRange FloatRange::magnitude() const {
  double most = std::max(std::abs(low), std::abs(high));
  return {low <= 0 && high >= 0 ? 0 : std::min(std::abs(low), std::abs(high)), most};
}

FloatRange FloatRange::square() const {
  FloatRange root = magnitude();
  return {root.low * root.low, root.high * root.high};
}

FloatRange FloatRange::rounded() const { return {std::floor(low), std::ceil(high)}; }

FloatRange FloatRange::exp() const { return {std::exp(low), std::exp(high)}; }

FloatRange FloatRange::sqrt() const { return {std::sqrt(std::max(low, 0.0)), std::sqrt(std::max(high, 0.0))}; }

FloatRange FloatRange::times(int64_t count) const { return {product(low, count), product(high, count)}; }

FloatRange operator+(FloatRange a, FloatRange b) { return {a.low + b.low, a.high + b.high}; }

FloatRange operator-(FloatRange a, FloatRange b) { return {a.low - b.high, a.high - b.low}; }

FloatRange operator*(FloatRange a, FloatRange b) {
  auto [low, high] =
      std::minmax({product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)});
  return {low, high};
}

FloatRange operator/(FloatRange a, FloatRange b) {
  return b.low > 0 ? a * FloatRange{1 / b.high, 1 / b.low} : FloatRange();
}

FloatRange larger(FloatRange a, FloatRange b) { return {std::max(a.low, b.low), std::max(a.high, b.high)}; }

FloatRange smaller(FloatRange a, FloatRange b) { return {std::min(a.low, b.low), std::min(a.high, b.high)}; }

} // namespace ane::rt
