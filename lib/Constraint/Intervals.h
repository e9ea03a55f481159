//===- Intervals.h - bounds of values --------------------------*- C++ -*-===//
//
// What is known about every element of a tensor, from the ops that compute it alone. Arguments are unbounded, and
// nothing is assumed about trained weights, so that most values of a model have no bound. What is proven holds in exact
// arithmetic.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_CONSTRAINT_INTERVALS_H
#define ANE_LIB_CONSTRAINT_INTERVALS_H

#include "ane/IR/ANE.h"
#include <limits>

namespace mlir::ane {

struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  /// Every element is known to have a magnitude of at most `bound`.
  bool isWithin(double bound) const { return low >= -bound && high <= bound; }
  /// Every element is known to have a magnitude above `bound`.
  bool isBeyond(double bound) const { return low > bound || high < -bound; }
};

Interval intervalOf(Value value);

} // namespace mlir::ane

#endif // ANE_LIB_CONSTRAINT_INTERVALS_H
