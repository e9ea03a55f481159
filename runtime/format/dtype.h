//===- dtype.h - Element types of tensors ------------------------*- C++ -*-===//
//
// The element types that files and devices agree on. Names are those of the
// manifest ("float16"); other formats keep their own spellings.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_DTYPE_H
#define ANE_RUNTIME_FORMAT_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ane::rt {

enum class DType : uint8_t {
  Bool, // one byte, 0 or 1
  Int8,
  UInt8,
  Int16,
  UInt16,
  Int32,
  UInt32,
  Int64,
  UInt64,
  Float16,
  BFloat16,
  Float32,
  Float64,
};

inline constexpr struct {
  const char *name;
  size_t bytes;
} kDTypes[] = {
    {"bool", 1},   {"int8", 1},    {"uint8", 1},    {"int16", 2},
    {"uint16", 2}, {"int32", 4},   {"uint32", 4},   {"int64", 8},
    {"uint64", 8}, {"float16", 2}, {"bfloat16", 2}, {"float32", 4},
    {"float64", 8},
};

inline constexpr const char *dtypeName(DType type) {
  return kDTypes[static_cast<size_t>(type)].name;
}

/// Size of one element in bytes.
inline constexpr size_t dtypeBytes(DType type) {
  return kDTypes[static_cast<size_t>(type)].bytes;
}

inline std::optional<DType> parseDType(std::string_view name) {
  for (size_t i = 0; i < sizeof(kDTypes) / sizeof(kDTypes[0]); ++i)
    if (name == kDTypes[i].name)
      return static_cast<DType>(i);
  return std::nullopt;
}

} // namespace ane::rt
#endif // ANE_RUNTIME_FORMAT_DTYPE_H
