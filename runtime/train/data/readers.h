//===- readers.h - Kinds of files of examples --------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_DATA_READERS_H
#define ANE_RUNTIME_TRAIN_DATA_READERS_H

#include "runtime/train/data/open.h"

namespace ane::rt::train {

/// Documents as tokens, one behind the other.
struct Documents {
  std::vector<int32_t> tokens;
  std::vector<uint64_t> begins; ///< where each begins, ascending; none is empty
  std::string source;           ///< for messages
};

/// Texts and JSON lines. `isJsonLines`: of each file.
absl::StatusOr<Documents> readTexts(const std::vector<std::string> &paths, bool areJsonLines,
                                    const text::Tokenizer &tokenizer);
/// The documents of one file's bytes, behind those of `documents`; `name` is for messages.
absl::Status addText(std::string_view bytes, const std::string &name, const text::Tokenizer &tokenizer,
                     Documents &documents);
absl::Status addJsonLines(std::string_view bytes, const std::string &name, const text::Tokenizer &tokenizer,
                          Documents &documents);

/// Examples of what readTexts() gives.
absl::StatusOr<std::shared_ptr<const Dataset>> makeWindows(Documents documents, const Signature &signature,
                                                           int64_t sequence);
/// A token file of llama2.c, mapped.
absl::StatusOr<std::shared_ptr<const Dataset>> openTokenFile(const std::string &path, const Signature &signature,
                                                             int64_t sequence);
/// Of its bytes, which live as long.
absl::StatusOr<std::shared_ptr<const Dataset>> parseTokenFile(const uint8_t *data, uint64_t size,
                                                              const std::string &name, const Signature &signature,
                                                              int64_t sequence);

/// Whether an example is a pair of texts: a step for encoders, with `input_ids` [batch, 2, T] and no target.
bool takesPairs(const Signature &signature);
/// Pairs of JSON lines. `paths` is not empty.
absl::StatusOr<std::shared_ptr<const Dataset>> readPairs(const std::vector<std::string> &paths,
                                                         const Signature &signature, int64_t sequence,
                                                         const text::Tokenizer &tokenizer);

absl::StatusOr<std::shared_ptr<const Dataset>> openArrays(const std::string &path, const Signature &signature);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_DATA_READERS_H
