//===- evaluation_path.h - How requests get to the engine -------*- C++ -*-===//
#ifndef ANE_RUNTIME_DEVICE_ANE_EVALUATION_PATH_H
#define ANE_RUNTIME_DEVICE_ANE_EVALUATION_PATH_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ane::rt::engine {

/// Ways to have a request evaluated that sources have tried, who contradict each other about which is the fastest
/// (ane-programming.md 1.6).
enum class EvaluationPath : uint8_t {
  Standard, ///< asked of the model
  Direct,   ///< asked of a client with restricted access
  RealTime  ///< asked of the shared client
};
constexpr EvaluationPath kEvaluationPaths[] = {EvaluationPath::Standard, EvaluationPath::Direct,
                                               EvaluationPath::RealTime};

/// "standard", "direct" or "real-time".
const char *nameOf(EvaluationPath path);
/// "auto" is nothing; InvalidArgument lists the words.
absl::StatusOr<std::optional<EvaluationPath>> evaluationPathFrom(const std::string &word);

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_EVALUATION_PATH_H
