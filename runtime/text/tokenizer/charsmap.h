//===- charsmap.h - SentencePiece's compiled maps of characters -*- C++ -*-===//
//
// Layout (src/normalizer.cc of SentencePiece): the bytes of a trie as uint32, the
// trie (a double array of darts-clone: units of 32 bits), and the texts that it
// leads to, each ended by a zero byte. All little-endian.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_CHARSMAP_H
#define ANE_RUNTIME_TEXT_TOKENIZER_CHARSMAP_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::text {

class Charsmap {
public:
  struct Match {
    size_t bytes; ///< of the text
    std::string_view replacement;
  };

  /// Errors say which part is cut short, or no UTF-8.
  static absl::StatusOr<Charsmap> parse(std::string_view bytes);

  /// The longest entry that begins at `at`, or the shortest.
  std::optional<Match> find(std::string_view text, size_t at, bool wantsLongest) const;

private:
  std::vector<uint32_t> units;
  std::string texts;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_CHARSMAP_H
