//===- trie.h - Texts that begin at a place ---------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_TRIE_H
#define ANE_RUNTIME_TEXT_TOKENIZER_TRIE_H

#include "absl/container/flat_hash_map.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ane::rt::text {

/// A set of texts with a value each.
class Trie {
public:
  Trie() { roots.fill(0); }

  /// The last value given for a text holds. Nothing for the empty text.
  void add(std::string_view text, int32_t value) {
    if (text.empty())
      return;
    uint32_t &root = roots[static_cast<uint8_t>(text[0])];
    if (root == 0)
      root = newNode();
    uint32_t node = root;
    for (char c : text.substr(1)) {
      uint32_t &child = children[edge(node, c)];
      if (child == 0)
        child = newNode();
      node = child;
    }
    values[node] = value;
  }

  /// Calls found(bytes, value) for each text that begins at `at`, shortest first.
  template <typename Found>
  void find(std::string_view text, size_t at, Found found) const {
    uint32_t node = roots[static_cast<uint8_t>(text[at])];
    for (size_t end = at + 1; node != 0; ++end) {
      if (values[node] >= 0)
        found(end - at, values[node]);
      if (end == text.size())
        return;
      auto child = children.find(edge(node, text[end]));
      node = child == children.end() ? 0 : child->second;
    }
  }

  bool isEmpty() const { return values.size() == 1; }

private:
  std::array<uint32_t, 256> roots;
  absl::flat_hash_map<uint64_t, uint32_t> children;
  std::vector<int32_t> values{-1};

  static uint64_t edge(uint32_t node, char c) { return uint64_t(node) << 8 | static_cast<uint8_t>(c); }
  uint32_t newNode() {
    values.push_back(-1);
    return static_cast<uint32_t>(values.size() - 1);
  }
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_TRIE_H
