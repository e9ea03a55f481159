//===- number_text.h - Numbers as text --------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_NUMBER_TEXT_H
#define ANE_RUNTIME_SUPPORT_NUMBER_TEXT_H

#include <charconv>
#include <cstdint>
#include <string>

namespace ane::rt {

/// The shortest text that is read as the same number: "16", "45.25483399593904". (absl::StrCat has six digits.)
inline std::string numberText(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

/// A number of bytes as a caller of the C API gave it, who may have given more than an int64_t holds.
inline uint64_t unsignedSize(int64_t bytes) { return static_cast<uint64_t>(bytes); }

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_NUMBER_TEXT_H
