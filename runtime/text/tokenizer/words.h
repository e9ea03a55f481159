//===- words.h - Words to ids, one class for each algorithm -----*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_WORDS_H
#define ANE_RUNTIME_TEXT_TOKENIZER_WORDS_H

#include "runtime/text/tokenizer/model.h"

#include "absl/status/statusor.h"

#include <memory>

namespace ane::rt::text {

/// Encodes words, from several threads at once.
class WordEncoder {
public:
  virtual ~WordEncoder() = default;
  /// Appends the ids of a word of valid UTF-8. Time is n log n in its length.
  virtual void encode(std::string_view word, std::vector<int32_t> &ids) const = 0;

  /// The encoder that a model asks for; the model must live as long.
  static absl::StatusOr<std::unique_ptr<WordEncoder>> make(const TokenizerModel &model);
};

absl::StatusOr<std::unique_ptr<WordEncoder>> makeBpe(const TokenizerModel &model);
absl::StatusOr<std::unique_ptr<WordEncoder>> makeUnigram(const TokenizerModel &model);
absl::StatusOr<std::unique_ptr<WordEncoder>> makeWordPiece(const TokenizerModel &model);

/// The ids of `<0x00>` to `<0xFF>`, -1 for those that are no token.
std::vector<int32_t> byteTokens(const TokenizerModel &model);
/// The byte that a token of that form stands for.
std::optional<uint8_t> byteOfToken(std::string_view token);

/// GPT-2's alphabet: the text that a byte is written as, and back.
std::string alphabetText(uint8_t byte);
/// Nothing if a character of the token is not in the alphabet.
std::optional<std::string> alphabetBytes(std::string_view token);

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_WORDS_H
