//===- tokenizer.h - Text to ids and back -----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_TOKENIZER_H
#define ANE_RUNTIME_TEXT_TOKENIZER_TOKENIZER_H

#include "runtime/support/folder.h"
#include "runtime/text/piece.h"
#include "runtime/text/tokenizer/model.h"

#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <memory>

namespace ane::rt::text {

struct EncodeOptions {
  /// The text is trusted: names of special tokens in it stand for them. Otherwise
  /// they are text like any other.
  bool parsesSpecial = false;
  /// The model's prefix and suffix come around the ids: BOS, [CLS] ... [SEP].
  bool addsSpecial = true;
};

/// Encodes and decodes, from several threads at once.
class Tokenizer {
public:
  /// Errors name the part of the model that is wrong.
  static absl::StatusOr<Tokenizer> make(TokenizerModel model);
  /// That of a bundle. InvalidArgument, with the remedy, if it has none, or one with more tokens than the model.
  static absl::StatusOr<Tokenizer> ofBundle(const Folder &bundle, std::optional<int64_t> vocabulary);
  Tokenizer(Tokenizer &&) noexcept;
  Tokenizer &operator=(Tokenizer &&) noexcept;
  ~Tokenizer();

  /// Any bytes are text; those that are no UTF-8 count as U+FFFD each. Fails only
  /// where a pattern of the model takes too much time (pattern.h).
  absl::StatusOr<std::vector<int32_t>> encode(std::string_view text, EncodeOptions options = {}) const;
  /// A rendered chat as one text, special tokens only where all of the name is
  /// from the template. `addsSpecial` as above.
  absl::StatusOr<std::vector<int32_t>> encode(absl::Span<const Piece> pieces, bool addsSpecial = false) const;

  /// Valid UTF-8. Ids that are no token give nothing.
  std::string decode(absl::Span<const int32_t> ids, bool skipsSpecial = true) const;

  const TokenizerModel &model() const;
  /// The id of a token, by its text in the vocabulary; -1 if there is none.
  int32_t find(std::string_view token) const;
  bool isSpecial(int32_t id) const;

private:
  friend class StreamDecoder;
  struct Parts;
  explicit Tokenizer(std::unique_ptr<const Parts> parts);
  std::unique_ptr<const Parts> parts;
};

/// Decodes ids as they come. What it gives, put together, is what decode() gives
/// for all of them: a character appears when its last byte is there, a run of byte
/// tokens when it has ended, if the model judges such runs as a whole.
class StreamDecoder {
public:
  /// The tokenizer must live as long.
  explicit StreamDecoder(const Tokenizer &tokenizer, bool skipsSpecial = true);
  StreamDecoder(StreamDecoder &&) noexcept;
  ~StreamDecoder();

  /// The text that is certain now.
  std::string add(int32_t id);
  /// The rest, at the end; the next id begins a new text.
  std::string finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_TOKENIZER_H
