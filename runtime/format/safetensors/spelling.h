//===- spelling.h - What reader and writer of safetensors share -*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_SAFETENSORS_SPELLING_H
#define ANE_RUNTIME_FORMAT_SAFETENSORS_SPELLING_H

#include "runtime/support/element_type.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace ane::rt::safetensors {

/// The reference implementation's limits.
inline constexpr uint64_t kMaxHeaderBytes = 100'000'000;
inline constexpr size_t kMaxRank = 64;
/// The key of the header that is no tensor.
inline constexpr char kMetadata[] = "__metadata__";

struct Spelling {
  std::string_view name;
  ElementType type;
};
inline constexpr Spelling kSpellings[] = {
    {"BOOL", ElementType::Bool},   {"I8", ElementType::Int8},       {"U8", ElementType::UInt8},
    {"I16", ElementType::Int16},   {"U16", ElementType::UInt16},    {"I32", ElementType::Int32},
    {"U32", ElementType::UInt32},  {"I64", ElementType::Int64},     {"U64", ElementType::UInt64},
    {"F16", ElementType::Float16}, {"BF16", ElementType::BFloat16}, {"F32", ElementType::Float32},
    {"F64", ElementType::Float64},
};

inline std::optional<ElementType> typeFromSpelling(std::string_view name) {
  for (const Spelling &known : kSpellings)
    if (name == known.name)
      return known.type;
  return std::nullopt;
}

} // namespace ane::rt::safetensors

#endif // ANE_RUNTIME_FORMAT_SAFETENSORS_SPELLING_H
