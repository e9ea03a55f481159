//===- dtype.cpp - Element types of blobs ---------------------------------===//
#include "runtime/format/blob/blob.h"

#include <array>
#include <limits>

namespace ane::rt::blob {
namespace {

// Index = dtype code - 1 (coreml-mlprogram.md 2; new codes are only appended).
constexpr std::array<ElementType, 15> kTypes = {
    ElementType::Float16, ElementType::Float32, ElementType::UInt8, ElementType::Int8,  ElementType::BFloat16,
    ElementType::Int16,   ElementType::UInt16,  ElementType::Int4,  ElementType::UInt1, ElementType::UInt2,
    ElementType::UInt4,   ElementType::UInt3,   ElementType::UInt6, ElementType::Int32, ElementType::UInt32};

} // namespace

std::optional<uint32_t> dtypeCode(ElementType type) {
  for (uint32_t i = 0; i < kTypes.size(); ++i)
    if (kTypes[i] == type)
      return i + 1;
  return std::nullopt;
}

std::optional<ElementType> elementType(uint32_t dtypeCode) {
  if (dtypeCode == 0 || dtypeCode > kTypes.size())
    return std::nullopt;
  return kTypes[dtypeCode - 1];
}

std::optional<uint64_t> packedBytes(ElementType type, uint64_t elements) {
  uint64_t bits = static_cast<uint64_t>(bitWidth(type));
  if (bits != 0 && elements > (std::numeric_limits<uint64_t>::max() - 7) / bits)
    return std::nullopt;
  return (elements * bits + 7) / 8;
}

std::vector<uint8_t> pack(ElementType type, const std::vector<int8_t> &values) {
  unsigned width = static_cast<unsigned>(bitWidth(type));
  std::vector<uint8_t> bytes((values.size() * width + 7) / 8);
  uint64_t bit = 0;
  for (int8_t value : values)
    for (unsigned i = 0; i < width; ++i, ++bit)
      bytes[bit / 8] |= static_cast<uint8_t>(((value >> i) & 1) << (bit % 8));
  return bytes;
}

std::vector<int8_t> unpack(ElementType type, const uint8_t *data, uint64_t elements) {
  unsigned width = static_cast<unsigned>(bitWidth(type));
  bool isSigned = type == ElementType::Int4 || type == ElementType::Int8;
  std::vector<int8_t> values(elements);
  uint64_t bit = 0;
  for (int8_t &value : values) {
    unsigned field = 0;
    for (unsigned i = 0; i < width; ++i, ++bit)
      field |= ((data[bit / 8] >> (bit % 8)) & 1u) << i;
    if (isSigned && (field >> (width - 1)) != 0)
      field |= ~0u << width;
    value = static_cast<int8_t>(field);
  }
  return values;
}

} // namespace ane::rt::blob
