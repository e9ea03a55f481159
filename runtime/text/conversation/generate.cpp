//===- generate.cpp - One answer ------------------------------------------===//
#include "runtime/text/conversation/generate.h"
#include "absl/strings/str_cat.h"
#include "runtime/text/conversation/draft.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ane::rt::text {
namespace {

/// The first `kept` tokens and the newer half of the others, again and again until
/// there is room for one more.
std::vector<int32_t> shifted(std::vector<int32_t> tokens, int64_t kept, int64_t room) {
  auto behind = static_cast<ptrdiff_t>(std::min(kept, room / 2));
  while (static_cast<int64_t>(tokens.size()) >= room) {
    ptrdiff_t others = static_cast<ptrdiff_t>(tokens.size()) - behind;
    tokens.erase(tokens.begin() + behind, tokens.begin() + behind + (others + 1) / 2);
  }
  return tokens;
}

class Generation {
public:
  Generation(Context &context, const Codec &codec, Sampler &sampler, const GenerateOptions &options,
             const Listener &listener, const std::atomic<bool> &cancel)
      : context(context), options(options), cancel(cancel), draft(codec, sampler, options, listener) {}

  absl::StatusOr<Answer> run(absl::Span<const int32_t> prompt) {
    text.assign(prompt.begin(), prompt.end());
    if (absl::Status status = fit(); !status.ok())
      return status;
    logits = context.set(text, cancel, draft.statistics());
    while (logits.ok()) {
      absl::StatusOr<bool> goesOn = draft.take(*logits, text);
      if (!goesOn.ok())
        return goesOn.status();
      if (!*goesOn)
        break;
      if (absl::StatusOr<bool> hasRoom = continueBehind(); !hasRoom.ok())
        return hasRoom.status();
      else if (!*hasRoom)
        break;
    }
    if (absl::IsCancelled(logits.status()))
      draft.stop(End::Cancelled);
    else if (!logits.ok())
      return logits.status();
    return draft.finish();
  }

private:
  int64_t room() const { return context.model().contextLength(); }

  /// Makes the prompt fit.
  absl::Status fit() {
    int64_t size = static_cast<int64_t>(text.size());
    if (size <= room())
      return absl::OkStatus();
    if (options.overflow != Overflow::Shift)
      return absl::ResourceExhaustedError(absl::StrCat(
          "the prompt has ", size, " tokens, and the model's context takes ", room(),
          "; make it shorter, let it lose its older half (--on-overflow=shift), or compile the model with a larger "
          "--context"));
    text = shifted(std::move(text), options.kept, room());
    return absl::OkStatus();
  }

  /// Gives the last token to the model; whether there was room for it.
  absl::StatusOr<bool> continueBehind() {
    if (cancel) {
      logits = absl::CancelledError("cancelled");
    } else if (!context.isFull()) {
      logits = context.add(text.back(), draft.statistics());
    } else if (options.overflow == Overflow::Shift) {
      text = shifted(std::move(text), options.kept, room());
      Statistics again; // a cost of decoding
      logits = context.set(text, cancel, again);
      Phase &decode = draft.statistics().decode;
      decode.seconds += again.prefill.seconds;
      decode.work += again.prefill.work;
      decode.tokens += 1;
    } else {
      return draft.stop(End::Context);
    }
    return true;
  }

  Context &context;
  const GenerateOptions &options;
  const std::atomic<bool> &cancel;
  Draft draft;
  std::vector<int32_t> text; ///< the prompt and what was said, as far as the model sees it
  absl::StatusOr<absl::Span<const float>> logits = absl::InternalError("no logits");
};

} // namespace

std::string_view endName(End end) {
  constexpr std::string_view names[] = {"stop_token", "stop_string", "length", "context", "cancelled"};
  return names[static_cast<size_t>(end)];
}

nlohmann::ordered_json toJson(const TokenEvent &event) {
  return {{"index", event.index}, {"token", event.token}, {"text", event.text}, {"seconds", event.seconds}};
}

absl::StatusOr<Answer> generate(Context &context, const Codec &codec, Sampler &sampler,
                                absl::Span<const int32_t> prompt, const GenerateOptions &options,
                                const Listener &listener, const std::atomic<bool> &cancel) {
  return Generation(context, codec, sampler, options, listener, cancel).run(prompt);
}

} // namespace ane::rt::text
