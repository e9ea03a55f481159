//===- text_map.h - Text for Abseil     -------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_TEXT_MAP_H
#define ANE_RUNTIME_TEXT_TOKENIZER_TEXT_MAP_H

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

#include <functional>
#include <string>
#include <string_view>

namespace ane::rt::text {

inline absl::string_view view(std::string_view text) { return {text.data(), text.size()}; }

/// Abseil's own hash of text knows Abseil's views only.
struct TextHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return absl::Hash<absl::string_view>{}(view(text)); }
};

template <typename Value>
using TextMap = absl::flat_hash_map<std::string, Value, TextHash, std::equal_to<>>;
/// The texts live elsewhere.
template <typename Value>
using ViewMap = absl::flat_hash_map<std::string_view, Value, TextHash, std::equal_to<>>;

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_TEXT_MAP_H
