//===- intervals.h - Bounds of values -------------------------------------===//
//
// What is known about every element of a value from the text alone: arguments
// and weight files are unbounded. What is proven holds in exact arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_INTERVALS_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_INTERVALS_H

#include "runtime/device/emulator/lint/view.h"

#include <limits>

namespace ane::rt::lint {

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  /// Every element has a magnitude of at most `bound`.
  bool isWithin(double bound) const { return low >= -bound && high <= bound; }
  /// Every element has a magnitude above `bound`.
  bool isBeyond(double bound) const { return low > bound || high < -bound; }
};

Interval intervalOf(const FunctionView &view, const mil::Value &value);
/// Of the only result of a statement.
Interval intervalOf(const FunctionView &view, const mil::Statement &statement);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_INTERVALS_H
