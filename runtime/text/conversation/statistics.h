//===- statistics.h - What an answer has cost -------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TEXT_CONVERSATION_STATISTICS_H
#define ANE_RUNTIME_TEXT_CONVERSATION_STATISTICS_H

#include "runtime/text/conversation/language_model.h"

#include <nlohmann/json_fwd.hpp>

namespace ane::rt::text {

/// Of one phase: tokens that went through the model, and what that took.
struct Phase {
  int64_t tokens = 0;
  double seconds = 0;
  DeviceWork work;
};

struct Statistics {
  int64_t reused = 0; ///< tokens of the prompt that the state had already
  Phase prefill, decode;
  double firstTokenSeconds = 0; ///< from the question to the first token of the answer
  uint64_t cpuWeightBytes = 0;  ///< of the CPU's code, mapped once
  uint64_t stateBytes = 0;      ///< of the session

  /// One line: "first token 0.12 s, prefill 21 tokens (30 reused) at 320.1 tok/s, ...". It ends with what a device has
  /// done for a token, or, where there was none, with the weights and caches that the CPU reads from.
  std::string summary() const;
  nlohmann::ordered_json json() const;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_STATISTICS_H
