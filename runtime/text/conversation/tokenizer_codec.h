//===- tokenizer_codec.h - A codec by a tokenizer ---------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_CONVERSATION_TOKENIZER_CODEC_H
#define ANE_RUNTIME_TEXT_CONVERSATION_TOKENIZER_CODEC_H

#include "runtime/text/conversation/language_model.h"
#include "runtime/text/tokenizer/tokenizer.h"

namespace ane::rt::text {

/// Chats as their templates have them, without the prefix and suffix that the tokenizer
/// gives to texts. Special tokens are not shown.
class TokenizerCodec : public Codec {
public:
  explicit TokenizerCodec(Tokenizer tokenizer) : own(std::move(tokenizer)) {}

  absl::StatusOr<std::vector<int32_t>> encode(const std::vector<Piece> &pieces) const override {
    return own.encode(pieces);
  }
  /// The codec must live as long.
  std::unique_ptr<TextStream> decoder() const override { return std::make_unique<Stream>(own); }

  const Tokenizer &tokenizer() const { return own; }

private:
  struct Stream : TextStream {
    explicit Stream(const Tokenizer &tokenizer) : decoder(tokenizer) {}
    std::string add(int32_t token) override { return decoder.add(token); }
    std::string finish() override { return decoder.finish(); }
    StreamDecoder decoder;
  };
  Tokenizer own;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_TOKENIZER_CODEC_H
