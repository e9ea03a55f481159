//===- draft.cpp - An answer in the making --------------------------------===//
#include "runtime/text/conversation/draft.h"

#include <algorithm>

namespace ane::rt::text {

Draft::Draft(const Codec &codec, Sampler &sampler, const GenerateOptions &options, const Listener &listener)
    : sampler(sampler), options(options), listener(listener), stream(codec.decoder()), stops(options.stopStrings),
      start(std::chrono::steady_clock::now()) {}

absl::StatusOr<bool> Draft::take(absl::Span<const float> logits, std::vector<int32_t> &text) {
  absl::StatusOr<int32_t> token = sampler.sample(logits, text);
  if (!token.ok())
    return token.status();
  if (answer.tokens.empty())
    answer.statistics.firstTokenSeconds = seconds();
  const std::vector<int32_t> &ends = options.stopTokens;
  if (std::find(ends.begin(), ends.end(), *token) != ends.end())
    return stop(End::StopToken);
  text.push_back(*token);
  answer.tokens.push_back(*token);
  tell(*token, stops.add(stream->add(*token)));
  if (stops.stopped())
    return stop(End::StopString);
  if (static_cast<int64_t>(answer.tokens.size()) == options.maxTokens)
    return stop(End::Length);
  return true;
}

bool Draft::stop(End end) {
  answer.end = end;
  return false;
}

Answer Draft::finish() {
  std::string rest = stops.add(stream->finish()) + stops.finish();
  if (!rest.empty())
    tell(-1, rest);
  return std::move(answer);
}

double Draft::seconds() const {
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return time.count();
}

void Draft::tell(int32_t token, const std::string &shown) {
  answer.text += shown;
  if (listener)
    listener({token, static_cast<int64_t>(answer.tokens.size()) - (token < 0 ? 0 : 1), shown, seconds()});
}

} // namespace ane::rt::text
