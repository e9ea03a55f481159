//===- generate.h - One answer ----------------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_CONVERSATION_GENERATE_H
#define ANE_RUNTIME_TEXT_CONVERSATION_GENERATE_H

#include "runtime/text/conversation/context.h"
#include "runtime/text/sampling/sampler.h"

#include <functional>

namespace ane::rt::text {

/// What happens when the model's context is full.
enum class Overflow {
  Stop,  ///< The answer ends. A prompt that does not fit is an error.
  Shift, ///< The older half of the tokens behind the first `kept` is forgotten, and the rest goes
         ///< through the model again; also in the middle of an answer, and of a prompt.
  Window ///< Of a conversation, the oldest turns are left out until the prompt and a quarter of the
         ///< context fit; the system's message stays. An answer that fills that ends.
};

enum class End { StopToken, StopString, Length, Context, Cancelled };
/// "stop_token", ...
std::string_view endName(End end);

struct GenerateOptions {
  int64_t maxTokens = 0; ///< of the answer; 0: what the context takes
  std::vector<int32_t> stopTokens;
  std::vector<std::string> stopStrings;
  Overflow overflow = Overflow::Stop;
  int64_t kept = 0; ///< first tokens that a shift keeps
};

/// A token of the answer, and the text that is certain since the one before it: "" where
/// a character or what may be a stop string is not complete.
struct TokenEvent {
  int32_t token;
  int64_t index; ///< in the answer
  std::string text;
  double seconds; ///< since the question
};
nlohmann::ordered_json toJson(const TokenEvent &event);

struct Answer {
  std::string text;
  std::vector<int32_t> tokens; ///< without the stop token
  End end = End::StopToken;
  Statistics statistics;
};

using Listener = std::function<void(const TokenEvent &)>;

/// The answer to a prompt. `listener`, which may be null, is called for each token as it
/// is drawn, and once more, with token -1, for text that was held back to the end. `cancel` is looked
/// at before each call of the model, and may be set by a signal handler: what was
/// said by then is the answer. Errors are those of the model and of its logits, and
/// prompts that don't fit.
absl::StatusOr<Answer> generate(Context &context, const Codec &codec, Sampler &sampler,
                                absl::Span<const int32_t> prompt, const GenerateOptions &options,
                                const Listener &listener, const std::atomic<bool> &cancel);

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_GENERATE_H
