//===- language_options.cpp - ane-run's options for language models -------===//
#include "runtime/tools/language_options.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include <algorithm>

namespace ane::rt::tools {
namespace {

template <typename... Parts>
absl::Status wrong(const Parts &...parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

/// As text::Overflow has them.
constexpr const char *kOverflow[] = {"stop", "shift", "window"};

constexpr const char *kGenerates[] = {
    "temperature", "top-k", "top-p",      "min-p",       "repeat-penalty", "presence-penalty", "frequency-penalty",
    "logit-bias",  "stop",  "max-tokens", "on-overflow", "prefill-device", "decode-device"};
constexpr const char *kChats[] = {"system", "chat-template", "save-conversation", "restore-conversation"};
/// What gives a run its inputs and takes its outputs.
constexpr const char *kRuns[] = {"input",          "random-inputs", "output-dir",
                                 "restore-states", "save-states",   "compare-device",
                                 "repeat",         "function",      "mil"};

} // namespace

void LanguageFlags::declare(CommandLine &line) {
  line.option("prompt", &options.prompt, "TEXT", "continue a text, by a bundle of a language model");
  line.option("prompts", &options.prompts, "FILE",
              "continue each line of a file, or of the standard input (-);\nseveral decode together, as ane-compile "
              "--parallel=N allows");
  line.flag("chat", &chat, "answer each line of the standard input, as a conversation");
  line.flag("text", &text, "print the embedding of each line of the standard input, by\na bundle of an encoder");
  line.real("temperature", &options.sampling.temperature, "of sampling; 0 (default) takes the most likely token");
  line.number("top-k", &options.sampling.topK, 0, INT32_MAX,
              "sample from the N most likely tokens (default 0: from all)");
  line.real("top-p", &options.sampling.topP,
            "sample from the most likely tokens that together have this\n"
            "probability (default 1)");
  line.real("min-p", &options.sampling.minP,
            "sample from tokens with this share of the largest probability\n"
            "(default 0)");
  line.real("repeat-penalty", &options.sampling.repetitionPenalty,
            "divides the logits of tokens that were there (default 1)");
  line.real("presence-penalty", &options.sampling.presencePenalty, "subtracted from their logits once (default 0)");
  line.real("frequency-penalty", &options.sampling.frequencyPenalty, "subtracted for each time (default 0)");
  line.list("logit-bias", &biases, "ID=X", "added to the logit of a token; -inf bans it; may be given many times");
  line.list("stop", &options.generate.stopStrings, "TEXT", "end an answer before this text; may be given many times");
  line.number("max-tokens", &options.generate.maxTokens, 1, INT32_MAX,
              "of an answer (default: as many as the context has room for)");
  line.option("on-overflow", &overflow, "WHAT",
              "when the context is full: stop (default) ends the answer, shift\n"
              "forgets the older half, window leaves out the oldest turns of a chat");
  line.option("prefill-device", &options.prefillDevice, "NAME",
              "where prompts run, of which the states go to the other device\n(default: --device)");
  line.option("decode-device", &options.decodeDevice, "NAME", "where single tokens run (default: --device)");
  line.option("system", &options.system, "TEXT", "with --chat: the message of the system");
  line.option("chat-template", &options.chatTemplate, "FILE", "with --chat: a Jinja template instead of the model's");
  line.option(
      "save-conversation", &options.saveConversation, "FILE",
      "with --chat: write the conversation when it ends, also by SIGTERM\nor SIGHUP, as FILE.json and FILE.states");
  line.option("restore-conversation", &options.restoreConversation, "FILE",
              "with --chat: begin with one that was saved; the files stay, so\nthat several can go on from there");
}

absl::StatusOr<LanguageOptions> LanguageFlags::finish(const CommandLine &line) {
  bool many = line.given("prompts"), prompts = line.given("prompt") || many;
  if (line.given("prompt") + many + chat + text > 1)
    return wrong("--prompt, --prompts, --chat and --text are uses of a model: give one");
  options.talk = prompts ? Talk::Prompt : chat ? Talk::Chat : text ? Talk::Text : Talk::None;
  for (const char *name : kGenerates)
    if (line.given(name) && !prompts && !chat)
      return wrong("--", name, " has no meaning without --prompt, --prompts or --chat");
  for (const char *name : kChats)
    if (line.given(name) && !chat)
      return wrong("--", name, " has no meaning without --chat");
  for (const char *name : kRuns)
    if (line.given(name) && options.talk != Talk::None)
      return wrong("--", name, " has no meaning with --",
                   many      ? "prompts"
                   : prompts ? "prompt"
                   : chat    ? "chat"
                             : "text");
  if (line.given("seed") && text)
    return wrong("--seed has no meaning with --text, which draws nothing");
  if (line.given("system") && line.given("restore-conversation"))
    return wrong("--system and --restore-conversation exclude each other: a conversation keeps its own beginning");
  auto way = std::find(std::begin(kOverflow), std::end(kOverflow), overflow);
  if (way == std::end(kOverflow))
    return wrong("--on-overflow: is \"", overflow, "\", expected stop, shift or window");
  options.generate.overflow = static_cast<text::Overflow>(way - std::begin(kOverflow));
  if (options.generate.overflow == text::Overflow::Window && prompts)
    return wrong("--on-overflow=window leaves out turns of a chat: with --prompt give stop or shift");
  if (options.generate.overflow == text::Overflow::Shift && many)
    return wrong("--on-overflow=shift: sequences that decode together have no room to shift; with --prompts give stop");
  for (const std::string &stop : options.generate.stopStrings)
    if (stop.empty())
      return wrong("--stop: is empty, expected a text");
  for (const std::string &bias : biases) {
    size_t equals = bias.find('=');
    int32_t id = 0;
    float value = 0;
    if (equals == std::string::npos || !absl::SimpleAtoi(bias.substr(0, equals), &id) ||
        !absl::SimpleAtof(bias.substr(equals + 1), &value))
      return wrong("--logit-bias: is \"", bias, "\", expected ID=X, as in --logit-bias 42=-inf");
    options.sampling.logitBias.emplace_back(id, value);
  }
  if (absl::Status status = text::Sampler::create(options.sampling).status(); !status.ok())
    return status;
  return options;
}

} // namespace ane::rt::tools
