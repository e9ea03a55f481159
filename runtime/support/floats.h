//===- floats.h - Floats of 16 and 32 bits as float32 -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_FLOATS_H
#define ANE_RUNTIME_SUPPORT_FLOATS_H

#include "runtime/support/element_type.h"

#include <cstdint>
#include <vector>

namespace ane::rt {

/// float32, float16 and bfloat16, whose values float32 has, too.
bool isWidened(ElementType type);

/// The elements in `bytes` bytes of such a type, of any alignment.
std::vector<float> widened(ElementType type, const uint8_t *data, uint64_t bytes);

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_FLOATS_H
