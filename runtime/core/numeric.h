//===- numeric.h - values that an engine can't hold -------------*- C++ -*-===//
//
// The engine stores fp16: what is beyond 65,504 becomes infinite
// (ane-op-chip-matrix.md 4.2), and what is below 2^-14 loses digits until it is
// 0. Both are looked for at the border of a program.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_NUMERIC_H
#define ANE_RUNTIME_CORE_NUMERIC_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/support/element_type.h"
#include <limits>

namespace ane::rt {

/// Where elements are, all of them together; without elements `low` is above `high`.
struct Extent {
  double low = std::numeric_limits<double>::infinity();   ///< NaN where an element is a NaN with a sign
  double high = -std::numeric_limits<double>::infinity(); ///< NaN where an element is another NaN
  /// Whether fp16 holds each element; looked for where somebody asks, and where isBelowHalf().
  bool isHalf = true;

  bool hasNaN() const { return low != low || high != high; }
  /// Neither NaN nor infinite.
  bool isFinite() const;
  /// The largest magnitude, unless there is a NaN.
  double largest() const;
  /// Whether an element is beyond what becomes 65,504 in fp16.
  bool overflowsHalf() const { return largest() >= 65520; }
  /// Whether all elements that are not 0 are below the normal numbers of fp16.
  bool isBelowHalf() const { return largest() > 0 && largest() < 0x1p-14; }

  void add(const Extent &other);
};

/// Of the elements of a plan's tensor.
Extent extentOf(const void *data, ElementType type, int64_t count);

/// Whether fp16 holds each element: a conversion changes none.
bool areHalf(const void *data, ElementType type, int64_t count);

/// Whether all of `count` float32 are finite, and stay so in fp16.
bool isFiniteInHalf(const void *data, int64_t count);

/// Writes what rows of an additive mask become (manifest::MaskRows), `count` floats of fp32 or fp16, to `to`. `tops`:
/// room for rows.inner elements.
void narrowMask(const manifest::MaskRows &rows, ElementType type, int64_t count, const void *from, void *to,
                float *tops);

/// Gives infinite elements the largest magnitude of fp16, with their signs, and returns how many there were. NaN stays,
/// and so do other types than fp16 and fp32.
int64_t clampInfinite(void *data, ElementType type, int64_t count);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_NUMERIC_H
