//===- charsmap.cpp - SentencePiece's compiled maps of characters ---------===//
#include "runtime/text/tokenizer/charsmap.h"
#include "runtime/text/tokenizer/unicode.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

#include <cstring>

namespace ane::rt::text {

absl::StatusOr<Charsmap> Charsmap::parse(std::string_view bytes) {
  uint32_t trieBytes = 0;
  if (bytes.size() >= sizeof trieBytes)
    std::memcpy(&trieBytes, bytes.data(), sizeof trieBytes);
  if (bytes.size() < sizeof trieBytes || trieBytes > bytes.size() - sizeof trieBytes || trieBytes % 4 != 0)
    return absl::InvalidArgumentError(absl::StrCat("a map of characters of ", bytes.size(), " bytes with a trie of ",
                                                   trieBytes, "; a trie has whole units of 4 bytes within it"));
  Charsmap map;
  map.units.resize(trieBytes / 4);
  if (trieBytes != 0)
    std::memcpy(map.units.data(), bytes.data() + sizeof trieBytes, trieBytes);
  map.texts = bytes.substr(sizeof trieBytes + trieBytes);
  if (!isValidUtf8(map.texts) || (!map.texts.empty() && map.texts.back() != '\0'))
    return absl::InvalidArgumentError("a map of characters whose texts are no UTF-8 that ends with a zero byte");
  return map;
}

std::optional<Charsmap::Match> Charsmap::find(std::string_view text, size_t at, bool wantsLongest) const {
  // Of a unit: the label in its low byte, with bit 31 for leaves; bit 8: a leaf
  // follows; the distance of its children in bits 10 to 30, times 256 if bit 9.
  auto distance = [](uint32_t unit) { return unit >> 10 << ((unit & 1u << 9) >> 6); };
  std::optional<Match> best;
  if (units.empty())
    return best;
  uint64_t node = distance(units[0]);
  for (size_t end = at; end < text.size() && text[end] != '\0';) {
    auto label = static_cast<uint8_t>(text[end]);
    node ^= label;
    if (node >= units.size() || (units[node] & (1u << 31 | 0xff)) != label)
      break;
    uint32_t unit = units[node];
    node ^= distance(unit);
    ++end;
    if ((unit & 1u << 8) == 0)
      continue;
    uint64_t value = node < units.size() ? units[node] & ~(1u << 31) : texts.size();
    // An entry ends where a character does.
    if (value >= texts.size() || !isValidUtf8(text.substr(at, end - at)))
      continue;
    best = Match{end - at, std::string_view(texts.data() + value)};
    if (!isValidUtf8(best->replacement)) // a damaged trie that leads into a character
      best.reset();
    else if (!wantsLongest)
      break;
  }
  return best;
}

} // namespace ane::rt::text
