//===- LM.h - import of language models ------------------------*- C++ -*-===//
//
// A Hugging Face directory, a GGUF file or a checkpoint of llama2.c becomes a module with several functions of phase
// "input" over the same states: weights are named by `#ane.weight` and never copied, locations are named like the
// model's parts.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IMPORT_LM_H
#define ANE_IMPORT_LM_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::ane {

/// Sizes of the function that is trained.
struct LMTraining {
  int64_t tokens; // of an example
  int64_t batch;  // examples
  /// Of a decoder: there is another input, `position_ids` [batch, tokens], of places in a document, and a token sees
  /// nothing of other documents in its example.
  bool areDocumentsApart = false;
  /// Of an encoder: an example is a pair of texts, whose embeddings are compared.
  bool arePairs = false;
};

struct LMImportOptions {
  /// Tokens that the caches have room for; 0: as many as the model was made for, at most 2,048.
  int64_t context = 0;
  /// Sizes of the functions that take a prompt; empty: 32, 64, ... 1,024 up to the context.
  std::vector<int64_t> prefill;
  /// A file or folder with the tokenizer; empty: the model's own; "none": the bundle takes no text.
  std::string tokenizer;
  /// What a decoder's functions give: `logits`, or `argmax` [1], the first token with the largest of them; or both.
  bool logits = true, argmax = false;
  /// So many sequences decode together, in a function of their own; 0: there is none.
  int64_t parallel = 0;
  /// Caches hold keys and values in fp16, half the bytes that attention reads; else in fp32, as they are computed.
  bool isCacheHalf = false;
  /// Nothing of the above but `tokenizer` then, and a decoder becomes one function without states, @main: `input_ids`
  /// [batch, tokens] of examples that begin at position 0, and the `logits` [batch, tokens, vocabulary] behind each. An
  /// encoder gives the `embedding` [2 batch, width] of both texts of pairs, of `input_ids` and `attention_mask` [2
  /// batch, tokens].
  std::optional<LMTraining> training;
};

/// Whether `path` holds a language model: a directory with config.json, a GGUF file, or a checkpoint of llama2.c
/// (runtime/format/llama2c).
bool isLanguageModel(StringRef path);

/// An encoder becomes `main` with buckets (Buckets.h); a decoder becomes `decode`, for a token, `prefill_32` and so
/// on, for prompts, and `decode_8` for a token of each of 8 sequences. Fails, after one diagnostic, which lists all
/// that is wrong with the files.
FailureOr<OwningOpRef<ModuleOp>> importLanguageModel(StringRef path, const LMImportOptions &options,
                                                     MLIRContext *context);

/// A file of a bundle, by its path in it.
struct TextFile {
  std::string path, contents;
};

/// What a conversation needs of the file or folder that `tokenizer`, a string in the module's `ane.language_model`,
/// names: tokenizer/tokenizer.json (runtime/text/tokenizer/readers.h), tokenizer/chat.json, an object of the names that
/// templates know ("bos_token"), and tokenizer/chat_template.jinja. None, after a warning, if the model has no
/// tokenizer. Fails, after one diagnostic, if it can't be read or has other tokens than the model.
FailureOr<std::vector<TextFile>> readTextFiles(ModuleOp module);

} // namespace mlir::ane

#endif // ANE_IMPORT_LM_H
