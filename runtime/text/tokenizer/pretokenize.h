//===- pretokenize.h - Text to words ----------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_PRETOKENIZE_H
#define ANE_RUNTIME_TEXT_TOKENIZER_PRETOKENIZE_H

#include "runtime/text/tokenizer/model.h"
#include "runtime/text/tokenizer/pattern.h"

#include "absl/status/statusor.h"

namespace ane::rt::text {

/// A text and its words, which are ranges of it.
struct Words {
  std::string text;
  std::vector<Range> ranges;
};

/// The pre-tokenizers of a model, ready to run. ByteLevel splits here; its
/// alphabet is the vocabulary's affair.
class WordSplitter {
public:
  static absl::StatusOr<WordSplitter> make(const std::vector<PreTokenizer> &steps);

  /// Splits normalized text. `isFirst`: the text begins where the whole text does.
  absl::StatusOr<Words> split(std::string text, bool isFirst) const;

private:
  struct Step {
    PreTokenizer step;
    std::optional<Pattern> pattern;
  };
  std::vector<Step> steps;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_PRETOKENIZE_H
