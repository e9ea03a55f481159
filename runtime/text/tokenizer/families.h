//===- families.h - What families of models do alike ------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_FAMILIES_H
#define ANE_RUNTIME_TEXT_TOKENIZER_FAMILIES_H

#include "runtime/text/tokenizer/model.h"

#include "absl/status/status.h"

#include <memory>

namespace ane::rt::text {

/// Pre-tokenizers, flags and BOS of byte-level BPE by the family's name, as
/// tokenizer.ggml.pre has it. False for a name that is not known; `names` are all.
bool applyFamily(std::string_view family, TokenizerModel &model);
std::string familyNames();

/// The alphabet's decoder.
void decodeByteLevel(TokenizerModel &model);
/// The decoders of SentencePiece; the model's unknown token is set.
void decodeSentencePiece(TokenizerModel &model, bool dropsPrefix, bool dropsAllSpaces,
                         const std::string &unknownText = " \xe2\x81\x87 ");
/// BERT: [CLS] and [SEP] around, the normalizer, words and the decoder.
void applyBert(TokenizerModel &model, bool lowers, int32_t cls, int32_t sep);

/// The merge of two tokens, given by their texts, with the token that both are.
/// `what` begins a message: "merges[3]".
class MergeTable {
public:
  explicit MergeTable(TokenizerModel &model);
  absl::Status add(std::string_view left, std::string_view right, const std::string &what);
  /// -1 if there is none.
  int32_t find(std::string_view token) const;
  ~MergeTable();

private:
  struct Ids;
  TokenizerModel &model;
  std::unique_ptr<Ids> ids;
};

/// Sets the token of an id, in a list that grows; the message of what is wrong.
/// Of `entries` tokens, none has an id far beyond that number: memory is bounded
/// by the file's size.
absl::Status placeToken(TokenizerModel &model, int64_t id, std::string_view text, size_t entries);

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_FAMILIES_H
