//===- evaluation_path.cpp - How requests get to the engine ---------------===//
#include "runtime/device/ane/evaluation_path.h"

#include "absl/strings/str_cat.h"

namespace ane::rt::engine {

const char *nameOf(EvaluationPath path) {
  constexpr const char *kNames[] = {"standard", "direct", "real-time"};
  return kNames[static_cast<size_t>(path)];
}

absl::StatusOr<std::optional<EvaluationPath>> evaluationPathFrom(const std::string &word) {
  if (word == "auto")
    return std::nullopt;
  for (EvaluationPath path : kEvaluationPaths)
    if (word == nameOf(path))
      return path;
  return absl::InvalidArgumentError(absl::StrCat("is \"", word, "\", expected auto, standard, direct or real-time"));
}

} // namespace ane::rt::engine
