//===- open.h - Files of examples --------------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_DATA_OPEN_H
#define ANE_RUNTIME_TRAIN_DATA_OPEN_H

#include "runtime/text/tokenizer/tokenizer.h"
#include "runtime/train/data/dataset.h"

namespace ane::rt::train {

struct DataOptions {
  /// Makes ids of texts; not needed for other files.
  const text::Tokenizer *tokenizer = nullptr;
  /// Tokens of an example, at most as many as the step takes; 0: as many. What is left of the step's sequence has
  /// token 0 and targets that don't count, which is right for models that don't look ahead.
  int64_t sequence = 0;
};

/// The examples of files, all of one kind, by the end of their names:
///
///   .npz    an array for each field of the signature, of its name and type; axis 0 are the examples. Others are unused
///
///   .bin    tokens of llama2.c, uint16 little-endian; token 1 begins a document
///
///   .jsonl  lines of JSON objects; "text" of each is a document. Of pairs: "anchor" and "positive"
///
///   others  UTF-8 text; each file is a document
///
/// Tokens are for a step that takes `input_ids` and a target, both [batch, T], int32 or int64. A document is what the
/// tokenizer makes of it, with its prefix and suffix, and its token for the end of a text behind; names of special
/// tokens in it are text. Documents stand one behind the other; example i has tokens i * T to i * T + T - 1, and the
/// ones behind them as targets. A target that begins a document does not count. Tokens behind the last example are
/// unused. Attention sees what stands before in an example, of other documents, too, unless the step takes
/// `position_ids` (ane-compile --documents=apart): these count from 0 at the beginning of an example and of a document.
///
/// Pairs are for a step that takes `input_ids`, `attention_mask` and `token_type_ids`, or some of them, [batch, 2, T],
/// and no target. A text that is too long loses its end; one that is shorter is filled up with token 0, which the mask
/// hides.
///
/// InvalidArgument names file, place, value and remedy.
absl::StatusOr<std::shared_ptr<const Dataset>> openData(const std::vector<std::string> &paths,
                                                        const Signature &signature, const DataOptions &options = {});

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_DATA_OPEN_H
