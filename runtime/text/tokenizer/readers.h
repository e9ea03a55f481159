//===- readers.h - Files that tokenizers come in ----------------*- C++ -*-===//
//
// Each reader makes a TokenizerModel. Files are taken as hostile: sizes are
// bounded, and errors name the file and the field. What a file says that the
// model can't hold is an error, never ignored.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_READERS_H
#define ANE_RUNTIME_TEXT_TOKENIZER_READERS_H

#include "runtime/format/gguf/gguf.h"
#include "runtime/text/tokenizer/model.h"

#include "absl/status/statusor.h"

namespace ane::rt::text {

class Tokenizer;

/// tokenizer.json of Hugging Face.
absl::StatusOr<TokenizerModel> readTokenizerJson(std::string_view text, const std::string &name);

/// The same file of a tokenizer of byte pairs, whatever it was read from. Unimplemented for others, and for what that
/// file has no words for: steps of SentencePiece, two tokens of one text, and text that is no UTF-8.
absl::StatusOr<std::string> writeTokenizerJson(const Tokenizer &tokenizer);

/// vocab.json and merges.txt with tokenizer_config.json, whose tokenizer_class
/// says the rest: GPT2Tokenizer, RobertaTokenizer or Qwen2Tokenizer.
absl::StatusOr<TokenizerModel> readVocabularyAndMerges(std::string_view vocabulary, std::string_view merges,
                                                       std::string_view config, const std::string &folder);

/// vocab.txt of BERT, a token a line; `config` (tokenizer_config.json) may be empty.
absl::StatusOr<TokenizerModel> readVocabTxt(std::string_view text, std::string_view config, const std::string &name);

/// tokenizer.model: a ModelProto of SentencePiece, BPE or unigram
/// (sentencepiece_model.proto).
absl::StatusOr<TokenizerModel> readSentencePiece(std::string_view bytes, const std::string &name);

/// tokenizer.bin of llama2.c: the length of the longest token, then a score, a
/// length and a text for each.
absl::StatusOr<TokenizerModel> readLlama2c(std::string_view bytes, const std::string &name);

/// The metadata tokenizer.ggml.* of llama.cpp: models gpt2, llama, bert and t5.
absl::StatusOr<TokenizerModel> readGguf(const gguf::File &file, const std::string &name);

/// The best that a folder has, or the file itself. NotFound for a folder without a
/// tokenizer.
absl::StatusOr<std::string> findTokenizer(const std::string &path);

/// Any of these, or the bundle's own file: by the first bytes and the name of what
/// findTokenizer() gives, and with the tokenizer_config.json beside it.
absl::StatusOr<TokenizerModel> openTokenizer(const std::string &path);

/// The file tokenizer/tokenizer.json of a bundle: JSON, one object. `format` is
/// "anemone-tokenizer", `version` 1; the other fields are those of
/// TokenizerModel, in snake_case: `merges` is a flat list of left, right and
/// result, `roles` a list of numbers, steps are as in tokenizer.json (steps.h).
/// Fields that have their default may be missing, others are errors.
constexpr int64_t kModelVersion = 1;
std::string saveModel(const TokenizerModel &model);
absl::StatusOr<TokenizerModel> loadModel(std::string_view text, const std::string &name);

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_READERS_H
