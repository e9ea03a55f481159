//===- statistics.cpp - What an answer has cost ---------------------------===//
#include "runtime/text/conversation/statistics.h"
#include "absl/strings/str_format.h"

#include <nlohmann/json.hpp>

namespace ane::rt::text {
namespace {

double perSecond(const Phase &phase) {
  return phase.seconds > 0 ? static_cast<double>(phase.tokens) / phase.seconds : 0;
}

double perToken(uint64_t amount, const Phase &phase) {
  return phase.tokens > 0 ? static_cast<double>(amount) / static_cast<double>(phase.tokens) : 0;
}

nlohmann::ordered_json phaseJson(const Phase &phase) {
  return {{"tokens", phase.tokens},
          {"seconds", phase.seconds},
          {"tokens_per_second", perSecond(phase)},
          {"evaluations_per_token", perToken(phase.work.evaluations, phase)},
          {"bytes_per_token", perToken(phase.work.bytes, phase)},
          {"state_bytes_moved", phase.work.moved}};
}

} // namespace

std::string Statistics::summary() const {
  std::string text =
      absl::StrFormat("first token %.2f s, prefill %d tokens (%d reused) at %.1f tok/s, decode %d tokens at %.1f tok/s",
                      firstTokenSeconds, prefill.tokens, reused, perSecond(prefill), decode.tokens, perSecond(decode));
  if (decode.work.evaluations > 0)
    absl::StrAppendFormat(&text, ", %.1f evaluations and %.1f MB per token", perToken(decode.work.evaluations, decode),
                          perToken(decode.work.bytes, decode) / 1e6);
  else if (cpuWeightBytes > 0)
    absl::StrAppendFormat(&text, ", %.1f MB of weights and %.1f MB of caches",
                          static_cast<double>(cpuWeightBytes) / 1e6, static_cast<double>(stateBytes) / 1e6);
  if (uint64_t moved = prefill.work.moved + decode.work.moved)
    absl::StrAppendFormat(&text, ", %d evaluations for the prompt and %.1f MB of states between devices",
                          prefill.work.evaluations, static_cast<double>(moved) / 1e6);
  return text;
}

nlohmann::ordered_json Statistics::json() const {
  return {{"first_token_seconds", firstTokenSeconds},
          {"reused_tokens", reused},
          {"cpu_weight_bytes", cpuWeightBytes},
          {"state_bytes", stateBytes},
          {"prefill", phaseJson(prefill)},
          {"decode", phaseJson(decode)}};
}

} // namespace ane::rt::text
