//===- executor_weights.cpp - Weights that an executor has changed --------===//
#include "runtime/core/executor.h"
#include <algorithm>
#include <map>

namespace ane::rt {

absl::Status Executor::setWeight(const std::string &name, const void *data, int64_t bytes) {
  auto weight = manifest::findWeight(bundle->manifest(), name);
  if (!weight.ok())
    return weight.status();
  if (!weights) {
    auto made = SessionWeights::make(*bundle);
    if (!made.ok())
      return made.status();
    weights = std::move(*made);
  }
  if (absl::Status s = weights->set(**weight, data, bytes); !s.ok())
    return s;
  return replaceReaders(**weight);
}

absl::Status Executor::copyWeights(const Executor &from) {
  if (!from.weights)
    return absl::OkStatus();
  auto copied = from.weights->copy();
  if (!copied.ok())
    return copied.status();
  weights = *std::move(copied);
  for (const manifest::Weight *weight : weights->changed())
    if (absl::Status s = replaceReaders(*weight); !s.ok())
      return s;
  return absl::OkStatus();
}

/// Programs that read a weight of this executor's own are programs of its own, to
/// be loaded when they run.
absl::Status Executor::replaceReaders(const manifest::Weight &weight) {
  // Procedures of one program are loaded as one.
  std::map<const manifest::Program *, std::shared_ptr<CachedProgram>> replaced;
  for (Step &step : steps) {
    auto isRead = [&](const manifest::StoredWeight &stored) {
      const std::vector<std::string> &programs = stored.programs;
      return std::find(programs.begin(), programs.end(), step.program->name) != programs.end();
    };
    if (!step.loaded || std::none_of(weight.stored.begin(), weight.stored.end(), isRead))
      continue;
    std::shared_ptr<CachedProgram> &own = replaced[step.program];
    if (!own) {
      auto program = bundle->cachedFrom(*step.program, weights->files());
      if (!program.ok())
        return program.status();
      own = *std::move(program);
    }
    step.loaded = own;
  }
  return absl::OkStatus();
}

} // namespace ane::rt
