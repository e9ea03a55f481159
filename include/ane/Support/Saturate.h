//===- Saturate.h - numbers of files as integers ---------------*- C++ -*-===//
#ifndef ANE_SUPPORT_SATURATE_H
#define ANE_SUPPORT_SATURATE_H

#include <cmath>
#include <cstdint>

namespace mlir::ane {

/// `value` without its fraction, or the nearest int64; 0 of NaN. A plain conversion is undefined outside of the range.
inline int64_t saturatingInt(double value) {
  constexpr double end = 9223372036854775808.0; // 2^63
  if (std::isnan(value))
    return 0;
  return value >= end ? INT64_MAX : value < -end ? INT64_MIN : int64_t(value);
}

} // namespace mlir::ane

#endif // ANE_SUPPORT_SATURATE_H
