//===- conversation.h - Turns of a chat -------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_CONVERSATION_CONVERSATION_H
#define ANE_RUNTIME_TEXT_CONVERSATION_CONVERSATION_H

#include "runtime/text/conversation/generate.h"
#include "runtime/text/template/chat_template.h"

namespace ane::rt::text {

/// What turns are rendered with.
struct ChatFormat {
  ChatTemplate chatTemplate;
  RenderOptions render;
  /// Variables beside "messages" and "add_generation_prompt", as "tools".
  nlohmann::ordered_json variables = nlohmann::ordered_json::object();
};

/// Messages and the model that answers them. Each turn renders the whole chat; the
/// model's state is used as far as the tokens are those that it has seen.
class Conversation {
public:
  /// `codec` must live as long.
  Conversation(Context context, const Codec &codec, ChatFormat format, Sampler sampler, GenerateOptions options)
      : context(std::move(context)), codec(codec), format(std::move(format)), sampler(std::move(sampler)),
        options(std::move(options)) {}

  /// A message that is not answered, such as {"role": "system", "content": ...}.
  void add(nlohmann::ordered_json message) { chat.push_back(std::move(message)); }
  /// A message of the user and its answer, which become part of the conversation, also an
  /// answer that was cancelled. After an error the messages are those of before.
  absl::StatusOr<Answer> ask(const std::string &content, const Listener &listener, const std::atomic<bool> &cancel);

  const nlohmann::ordered_json &messages() const { return chat; }

  /// Two files, PATH.json and PATH.states, from which a conversation with the same model
  /// goes on as this one would; with another variant of it, what was said is read anew.
  /// The latter appears first.
  absl::Status save(const std::string &path) const;
  /// InvalidArgument for files that are none of a conversation.
  absl::Status restore(const std::string &path);
  /// Another one that begins with all that was said here.
  absl::StatusOr<Conversation> fork() const;

private:
  absl::StatusOr<std::vector<int32_t>> prompt(const nlohmann::ordered_json &messages) const;
  absl::StatusOr<std::vector<int32_t>> windowedPrompt(nlohmann::ordered_json messages) const;

  Context context;
  const Codec &codec;
  ChatFormat format;
  Sampler sampler;
  GenerateOptions options;
  nlohmann::ordered_json chat = nlohmann::ordered_json::array();
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_CONVERSATION_H
