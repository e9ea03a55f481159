//===- convert.h - Element type conversion ----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_CONVERT_H
#define ANE_RUNTIME_CORE_CONVERT_H

#include "runtime/support/element_type.h"

namespace ane::rt {

/// Converts `count` contiguous elements. Between floats: to nearest, ties to
/// even, in one rounding. Float to integer: towards zero, saturating, NaN gives
/// 0. Between integers: saturating, so that an index out of range stays out of
/// range. To bool: anything but 0 is 1. Packed and string types are not
/// convertible and must not be passed.
void convertElements(const void *from, ElementType fromType, void *to, ElementType toType, int64_t count);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_CONVERT_H
