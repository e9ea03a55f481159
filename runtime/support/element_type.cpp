//===- element_type.cpp - Names of element types --------------------------===//

#include "runtime/support/element_type.h"

namespace ane::rt {
namespace {

struct Spelling {
  ElementType type;
  std::string_view mil;
  std::string_view numpy;
};

constexpr Spelling kSpellings[] = {
    {ElementType::Bool, "bool", "bool"},         {ElementType::Int4, "int4", "int4"},
    {ElementType::UInt1, "uint1", "uint1"},      {ElementType::UInt2, "uint2", "uint2"},
    {ElementType::UInt3, "uint3", "uint3"},      {ElementType::UInt4, "uint4", "uint4"},
    {ElementType::UInt6, "uint6", "uint6"},      {ElementType::Int8, "int8", "int8"},
    {ElementType::UInt8, "uint8", "uint8"},      {ElementType::Int16, "int16", "int16"},
    {ElementType::UInt16, "uint16", "uint16"},   {ElementType::Int32, "int32", "int32"},
    {ElementType::UInt32, "uint32", "uint32"},   {ElementType::Int64, "int64", "int64"},
    {ElementType::UInt64, "uint64", "uint64"},   {ElementType::Float16, "fp16", "float16"},
    {ElementType::BFloat16, "bf16", "bfloat16"}, {ElementType::Float32, "fp32", "float32"},
    {ElementType::Float64, "fp64", "float64"},   {ElementType::String, "string", "str"},
};

} // namespace

std::string_view milName(ElementType type) {
  for (const Spelling &spelling : kSpellings)
    if (spelling.type == type)
      return spelling.mil;
  return "?";
}

std::string_view numpyName(ElementType type) {
  for (const Spelling &spelling : kSpellings)
    if (spelling.type == type)
      return spelling.numpy;
  return "?";
}

std::optional<ElementType> elementTypeFromName(std::string_view name) {
  for (const Spelling &spelling : kSpellings)
    if (spelling.mil == name || spelling.numpy == name)
      return spelling.type;
  return std::nullopt;
}

} // namespace ane::rt
