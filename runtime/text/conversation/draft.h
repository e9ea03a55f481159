//===- draft.h - An answer in the making ------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_CONVERSATION_DRAFT_H
#define ANE_RUNTIME_TEXT_CONVERSATION_DRAFT_H

#include "runtime/text/conversation/generate.h"
#include "runtime/text/sampling/stop_strings.h"

#include <chrono>

namespace ane::rt::text {

/// Draws tokens, makes text of them, and knows what ends it. The clock runs from its beginning. What it is made of
/// outlives it.
class Draft {
public:
  Draft(const Codec &codec, Sampler &sampler, const GenerateOptions &options, const Listener &listener);

  /// Draws a token behind `text` and appends it, unless it is a stop token; whether the answer goes on.
  absl::StatusOr<bool> take(absl::Span<const float> logits, std::vector<int32_t> &text);
  /// Ends it; false, as it does not go on.
  bool stop(End end);
  /// Shows what was held back; the answer.
  Answer finish();

  Statistics &statistics() { return answer.statistics; }

private:
  double seconds() const;
  void tell(int32_t token, const std::string &shown);

  Sampler &sampler;
  const GenerateOptions &options;
  const Listener &listener;
  std::unique_ptr<TextStream> stream;
  StopStrings stops;
  std::chrono::steady_clock::time_point start;
  Answer answer;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_DRAFT_H
