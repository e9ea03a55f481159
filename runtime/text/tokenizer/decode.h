//===- decode.h - Tokens to text, step by step ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_TOKENIZER_DECODE_H
#define ANE_RUNTIME_TEXT_TOKENIZER_DECODE_H

#include "runtime/text/tokenizer/model.h"

#include "absl/status/status.h"

#include <memory>

namespace ane::rt::text {

/// The decoders of a model as a chain: each takes tokens and gives tokens to the
/// next; the last one's are the text. Behind a step that makes one token of all
/// (Fuse, ByteLevel), parts of that token come as they are known.
class DecodeChain {
public:
  explicit DecodeChain(const std::vector<Decoder> &steps);
  ~DecodeChain();

  /// Why these steps are not supported in this order.
  static absl::Status check(const std::vector<Decoder> &steps);

  /// Appends what is certain.
  void add(std::string_view token, std::string &text);
  /// Appends the rest; the next token begins a new text.
  void finish(std::string &text);

  class Link;

private:
  std::vector<std::unique_ptr<Link>> links;
  void push(size_t index, std::string_view token, std::string &text);
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TOKENIZER_DECODE_H
