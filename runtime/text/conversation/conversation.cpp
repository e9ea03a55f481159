//===- conversation.cpp - Turns of a chat ---------------------------------===//
#include "runtime/text/conversation/conversation.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/output_file.h"
#include "runtime/support/quote.h"

#include <algorithm>
#include <limits>

namespace ane::rt::text {
namespace {

using nlohmann::ordered_json;

std::string roleOf(const ordered_json &message) { return message.is_object() ? message.value("role", "") : ""; }

/// Leaves out the oldest turn: a message of the user and what follows it up to the next one. Whether there was one
/// beside the last.
bool dropOldestTurn(ordered_json &messages) {
  auto isUsers = [](const ordered_json &message) { return roleOf(message) == "user"; };
  auto oldest = std::find_if(messages.begin(), messages.end(), isUsers);
  if (oldest == messages.end())
    return false;
  auto next = std::find_if(oldest + 1, messages.end(), isUsers);
  if (next == messages.end())
    return false;
  messages.erase(oldest, next);
  return true;
}

absl::StatusOr<std::vector<int32_t>> tokensOf(const ordered_json &json) {
  std::vector<int32_t> tokens;
  for (const ordered_json &token : json) {
    if (!token.is_number_integer() || token.get<int64_t>() < 0 ||
        token.get<int64_t>() > std::numeric_limits<int32_t>::max())
      return absl::InvalidArgumentError("\"tokens\" are no list of tokens");
    tokens.push_back(token.get<int32_t>());
  }
  return tokens;
}

bool isMessageList(const ordered_json &json) {
  return json.is_array() && std::all_of(json.begin(), json.end(), [](const ordered_json &message) {
           return message.is_object() && message.contains("role") && message["role"].is_string();
         });
}

constexpr const char *kFormat = "anemone conversation 1";
/// Copies of values recurse.
constexpr int kMaxDepth = 64;

} // namespace

absl::StatusOr<std::vector<int32_t>> Conversation::prompt(const ordered_json &messages) const {
  ordered_json variables = format.variables;
  variables["messages"] = messages;
  variables["add_generation_prompt"] = true;
  absl::StatusOr<std::vector<Piece>> pieces = format.chatTemplate.render(variables, format.render);
  if (!pieces.ok())
    return pieces.status();
  return codec.encode(*pieces);
}

absl::StatusOr<std::vector<int32_t>> Conversation::windowedPrompt(ordered_json messages) const {
  size_t context = static_cast<size_t>(this->context.model().contextLength());
  for (;;) {
    absl::StatusOr<std::vector<int32_t>> tokens = prompt(messages);
    if (options.overflow != Overflow::Window || !tokens.ok() || tokens->size() <= context - context / 4 ||
        !dropOldestTurn(messages))
      return tokens;
  }
}

absl::StatusOr<Answer> Conversation::ask(const std::string &content, const Listener &listener,
                                         const std::atomic<bool> &cancel) {
  ordered_json messages = chat;
  messages.push_back({{"role", "user"}, {"content", content}});
  absl::StatusOr<std::vector<int32_t>> tokens = windowedPrompt(messages);
  if (!tokens.ok())
    return tokens.status();
  absl::StatusOr<Answer> answer = generate(context, codec, sampler, *tokens, options, listener, cancel);
  if (answer.ok()) {
    messages.push_back({{"role", "assistant"}, {"content", answer->text}});
    chat = std::move(messages);
  }
  return answer;
}

absl::Status Conversation::save(const std::string &path) const {
  if (absl::Status status = context.save(path + ".states"); !status.ok())
    return status;
  ordered_json json = {{"format", kFormat}, {"messages", chat}, {"tokens", context.tokens()}, {"draws", sampler.draws}};
  if (std::string variant = context.model().variant(); !variant.empty())
    json["variant"] = variant;
  std::string text = json.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
  return writeFile(path + ".json", text.data(), text.size());
}

absl::Status Conversation::restore(const std::string &path) {
  std::string name = path + ".json";
  absl::StatusOr<MappedFile> file = MappedFile::open(name);
  if (!file.ok())
    return file.status();
  auto wrong = [&](std::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, " is no conversation that was saved: ", absl::string_view(what.data(), what.size())));
  };
  bool isDeep = false;
  auto json = ordered_json::parse(
      std::string_view(reinterpret_cast<const char *>(file->data()), file->size()),
      [&](int depth, ordered_json::parse_event_t, ordered_json &) { return !(isDeep |= depth > kMaxDepth); },
      /*allow_exceptions=*/false);
  if (isDeep)
    return wrong(absl::StrCat("it is nested deeper than ", kMaxDepth));
  if (!json.is_object() || json.value("format", ordered_json()) != kFormat)
    return wrong(absl::StrCat("it has no field \"format\" that says ", quote(kFormat)));
  if (!json.contains("messages") || !isMessageList(json["messages"]))
    return wrong("\"messages\" are no list of objects with a role");
  if (!json.contains("draws") || !json["draws"].is_number_unsigned())
    return wrong("\"draws\" is no number");
  if (!json.contains("tokens") || !json["tokens"].is_array())
    return wrong("\"tokens\" are no list of tokens");
  absl::StatusOr<std::vector<int32_t>> tokens = tokensOf(json["tokens"]);
  if (!tokens.ok())
    return wrong(std::string(tokens.status().message()));
  ordered_json variant = json.value("variant", ordered_json(""));
  if (!variant.is_string())
    return wrong("\"variant\" is no text");
  // States of another variant are wrong here, and what they are of is known.
  bool isSame = variant == context.model().variant();
  absl::Status status = isSame ? context.restore(path + ".states", *std::move(tokens)) : context.forget();
  if (!status.ok())
    return status;
  chat = json["messages"];
  sampler.draws = json["draws"].get<uint64_t>();
  return absl::OkStatus();
}

absl::StatusOr<Conversation> Conversation::fork() const {
  absl::StatusOr<Context> forked = context.fork();
  if (!forked.ok())
    return forked.status();
  Conversation other(*std::move(forked), codec, format, sampler, options);
  other.chat = chat;
  return other;
}

} // namespace ane::rt::text
