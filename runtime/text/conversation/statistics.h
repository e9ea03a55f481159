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

  /// One line: "first token 0.12 s, prefill 21 tokens (30 reused) at 320.1 tok/s, ...". What a device has done is part
  /// of it if there was one.
  std::string summary() const;
  nlohmann::ordered_json json() const;
};

} // namespace ane::rt::text

#endif // ANE_RUNTIME_TEXT_CONVERSATION_STATISTICS_H
