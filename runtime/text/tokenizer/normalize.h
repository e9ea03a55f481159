//===- normalize.h - Text to normalized text --------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_NORMALIZE_H
#define ANE_RUNTIME_TEXT_TOKENIZER_NORMALIZE_H

#include "runtime/text/tokenizer/charsmap.h"
#include "runtime/text/tokenizer/model.h"
#include "runtime/text/tokenizer/pattern.h"
#include "runtime/text/tokenizer/trie.h"

#include "absl/status/statusor.h"

namespace ane::rt::text {

/// The normalizers of a model, ready to run.
class TextNormalizer {
public:
  static absl::StatusOr<TextNormalizer> make(const TokenizerModel &model);

  absl::StatusOr<std::string> run(std::string text) const;

private:
  struct Step {
    Normalizer step;
    std::optional<Pattern> pattern;
    std::optional<Charsmap> charsmap;
  };
  std::vector<Step> steps;
  Trie kept; ///< tokens that SentencePiece leaves as they are

  std::string sentencePiece(const Step &step, std::string_view text) const;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_NORMALIZE_H
