//===- numeric.h - values that an engine can't hold -------------*- C++ -*-===//
//
// The engine stores fp16: what is beyond 65,504 becomes infinite
// (ane-op-chip-matrix.md 4.2). Both are looked for at the border of a program.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_NUMERIC_H
#define ANE_RUNTIME_CORE_NUMERIC_H

#include "runtime/support/element_type.h"

namespace ane::rt {

/// Whether a finite element becomes infinite in fp16. Elements that are not
/// floats of 32 or 64 bits are not looked at.
bool overflowsHalf(const void *data, ElementType type, int64_t count);

/// Whether an element is infinite or NaN; false for other types than fp16, fp32
/// and fp64.
bool hasNonFinite(const void *data, ElementType type, int64_t count);

/// Whether all of `count` float32 are finite, and stay so in fp16.
bool isFiniteInHalf(const void *data, int64_t count);

/// Gives infinite elements the largest magnitude of fp16, with their signs, and returns how many there were. NaN stays,
/// and so do other types than fp16 and fp32.
int64_t clampInfinite(void *data, ElementType type, int64_t count);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_NUMERIC_H
