//===- chat_template.h - From messages to a model's text --------*- C++ -*-===//
//
// The templates that models bring along (tokenizer_config.json, GGUF's
// tokenizer.chat_template): the subset of Jinja that they are written in, with the
// environment that Hugging Face's transformers gives them. A template is hostile
// input: what it costs is bounded, and there is nothing that it could reach.
//
// As in transformers' sandbox, lists and mappings can't be changed (no append or
// pop). What is not supported is an error: recursive loops, inheritance and
// includes, arguments from lists. Case is mapped code point by code point.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TEXT_TEMPLATE_CHAT_TEMPLATE_H
#define ANE_RUNTIME_TEXT_TEMPLATE_CHAT_TEMPLATE_H

#include "absl/status/statusor.h"
#include "runtime/text/piece.h"

#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ane::rt::text {

struct RenderOptions {
  /// Variables from the model's files: "bos_token", ... Their strings count as the
  /// template's.
  nlohmann::ordered_json trusted = nlohmann::ordered_json::object();
  /// What strftime_now prints: local time.
  std::tm now = {};
  /// A step is about a byte that is written or an element that is looked at.
  uint64_t maxSteps = 100'000'000;
  uint64_t maxOutputBytes = 16'000'000;
};

class ChatTemplate {
public:
  /// `name` is for messages, which begin "NAME:LINE:COLUMN: ". The source has at
  /// most 1 MiB of UTF-8.
  static absl::StatusOr<ChatTemplate> parse(std::string_view source, const std::string &name);

  /// `variables` is an object: "messages", a list of objects with "role" and
  /// "content"; "add_generation_prompt", a bool; "tools", a list, or null; and what
  /// else the template reads. Their strings are nobody's special tokens: pieces
  /// say which text is from the template. Only a role of lower-case letters counts
  /// as the template's. Neighbouring pieces have different origins.
  /// InvalidArgument also where the template itself raises an exception.
  absl::StatusOr<std::vector<Piece>> render(const nlohmann::ordered_json &variables,
                                            const RenderOptions &options = {}) const;

private:
  struct Parsed;
  std::shared_ptr<const Parsed> parsed;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_TEMPLATE_CHAT_TEMPLATE_H
