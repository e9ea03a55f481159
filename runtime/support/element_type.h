//===- element_type.h - Element types of tensors, surfaces and blobs ------===//
//
// One enumeration for every part of the runtime that names an element type.
// The spellings are those of MIL text ("fp16"); `fromName` also takes the
// NumPy spelling ("float16") that the manifest uses for plan values.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_SUPPORT_ELEMENT_TYPE_H
#define ANE_RUNTIME_SUPPORT_ELEMENT_TYPE_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace ane::rt {

enum class ElementType : uint8_t {
  Bool,
  Int4,
  UInt1,
  UInt2,
  UInt3,
  UInt4,
  UInt6,
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
  String,
};

/// Bits of one element as a blob packs it: 1 for UInt1, 16 for Float16; Bool
/// takes 8. String has no size and gives 0.
constexpr int64_t bitWidth(ElementType type) {
  switch (type) {
  case ElementType::UInt1:
    return 1;
  case ElementType::UInt2:
    return 2;
  case ElementType::UInt3:
    return 3;
  case ElementType::Int4:
  case ElementType::UInt4:
    return 4;
  case ElementType::UInt6:
    return 6;
  case ElementType::Bool:
  case ElementType::Int8:
  case ElementType::UInt8:
    return 8;
  case ElementType::Int16:
  case ElementType::UInt16:
  case ElementType::Float16:
  case ElementType::BFloat16:
    return 16;
  case ElementType::Int32:
  case ElementType::UInt32:
  case ElementType::Float32:
    return 32;
  case ElementType::Int64:
  case ElementType::UInt64:
  case ElementType::Float64:
    return 64;
  case ElementType::String:
    return 0;
  }
  return 0;
}

/// Bytes of one element in memory. Sub-byte types take one byte each once they
/// are unpacked.
constexpr int64_t byteWidth(ElementType type) {
  int64_t bits = bitWidth(type);
  return bits == 0 ? 0 : (bits < 8 ? 1 : bits / 8);
}

constexpr bool isFloat(ElementType type) {
  return type == ElementType::Float16 || type == ElementType::BFloat16 || type == ElementType::Float32 ||
         type == ElementType::Float64;
}

/// Integers of any width, without Bool.
constexpr bool isInteger(ElementType type) { return type >= ElementType::Int4 && type <= ElementType::UInt64; }

/// MIL spelling: "fp16", "int32", "bool", "uint4", "string".
std::string_view milName(ElementType type);

/// NumPy spelling: "float16", "int32", "bool".
std::string_view numpyName(ElementType type);

/// Accepts both spellings.
std::optional<ElementType> elementTypeFromName(std::string_view name);

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_ELEMENT_TYPE_H
