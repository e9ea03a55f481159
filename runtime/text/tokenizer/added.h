//===- added.h - Tokens that are found in text first ------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_ADDED_H
#define ANE_RUNTIME_TEXT_TOKENIZER_ADDED_H

#include "runtime/text/tokenizer/model.h"
#include "runtime/text/tokenizer/trie.h"

#include <functional>

namespace ane::rt::text {

/// A set of added tokens, searched for from left to right, the longest first.
class AddedTokens {
public:
  /// `text` is what is searched for, which may be a normalized form.
  void add(const AddedToken &token, std::string_view text);
  bool isEmpty() const { return tokens.empty(); }

  struct Part {
    std::string_view text; ///< of what is no token
    int32_t id;            ///< -1 for text
  };
  /// Cuts a text. `isTrusted(begin, end)`: whether a special token may be found there.
  std::vector<Part> cut(std::string_view text, const std::function<bool(size_t, size_t)> &isTrusted) const;

private:
  Trie trie;
  std::vector<AddedToken> tokens;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_ADDED_H
