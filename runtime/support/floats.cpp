//===- floats.cpp - Floats of 16 and 32 bits as float32 -------------------===//
#include "runtime/support/floats.h"
#include "runtime/support/half.h"
#include <cstring>

namespace ane::rt {

bool isWidened(ElementType type) {
  return type == ElementType::Float32 || type == ElementType::Float16 || type == ElementType::BFloat16;
}

std::vector<float> widened(ElementType type, const uint8_t *data, uint64_t bytes) {
  std::vector<float> values(bytes / static_cast<uint64_t>(byteWidth(type)));
  if (type == ElementType::Float32 && bytes != 0)
    std::memcpy(values.data(), data, bytes);
  for (size_t i = 0; type != ElementType::Float32 && i < values.size(); ++i) {
    uint16_t half = 0;
    std::memcpy(&half, data + 2 * i, sizeof half);
    values[i] = type == ElementType::Float16 ? halfToFloat(half) : bfloat16ToFloat(half);
  }
  return values;
}

} // namespace ane::rt
