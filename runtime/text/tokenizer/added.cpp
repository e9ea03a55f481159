//===- added.cpp - Tokens that are found in text first --------------------===//
#include "runtime/text/tokenizer/added.h"

namespace ane::rt::text {

void AddedTokens::add(const AddedToken &token, std::string_view text) {
  trie.add(text, static_cast<int32_t>(tokens.size()));
  tokens.push_back(token);
}

/// The character that ends at `end`.
static uint32_t characterBefore(std::string_view text, size_t end) {
  size_t at = end - 1;
  while (at > 0 && (static_cast<uint8_t>(text[at]) & 0xc0) == 0x80)
    --at;
  return decodeNext(text, at);
}

static bool isWordAt(std::string_view text, size_t at) { return at < text.size() && isWord(decodeNext(text, at)); }

std::vector<AddedTokens::Part> AddedTokens::cut(std::string_view text,
                                                const std::function<bool(size_t, size_t)> &isTrusted) const {
  std::vector<Part> parts;
  size_t last = 0;
  for (size_t at = 0; at < text.size() && !isEmpty();) {
    size_t bytes = 0;
    int32_t index = -1;
    trie.find(text, at, [&](size_t length, int32_t value) {
      bytes = length;
      index = value;
    });
    if (bytes == 0) {
      ++at;
      continue;
    }
    const AddedToken &token = tokens[static_cast<size_t>(index)];
    size_t begin = at, end = at + bytes;
    at = end;
    if (token.isSpecial && !isTrusted(begin, end))
      continue;
    if (token.singleWord && ((begin > 0 && isWord(characterBefore(text, begin))) || isWordAt(text, end)))
      continue;
    while (token.lstrip && begin > last && isWhitespace(characterBefore(text, begin)))
      do
        --begin;
      while ((static_cast<uint8_t>(text[begin]) & 0xc0) == 0x80);
    for (size_t next = end; token.rstrip && next < text.size() && isWhitespace(decodeNext(text, next));)
      end = next;
    // A token may lie in the spaces that the one before has taken: it counts all
    // the same, as in Hugging Face's.
    if (begin > last)
      parts.push_back({text.substr(last, begin - last), -1});
    parts.push_back({{}, token.id});
    last = end;
  }
  if (last < text.size())
    parts.push_back({text.substr(last), -1});
  return parts;
}

} // namespace ane::rt::text
