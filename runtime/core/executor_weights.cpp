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

/// Programs that read a weight of this executor's own are programs of its own, made
/// when they run of those that they take the place of.
absl::Status Executor::replaceReaders(const manifest::Weight &weight) {
  // Procedures of one program are loaded as one.
  std::map<const manifest::Program *, std::shared_ptr<CachedProgram>> replaced;
  for (Step &step : steps) {
    if (!step.loaded)
      continue;
    std::vector<WeightRange> ranges;
    for (const manifest::StoredWeight &stored : weight.stored)
      if (std::count(stored.programs.begin(), stored.programs.end(), step.program->name))
        ranges.push_back({stored.file, stored.offset, stored.bytes});
    if (ranges.empty())
      continue;
    std::shared_ptr<CachedProgram> &own = replaced[step.program];
    if (!step.origin || step.loaded->isLoaded()) {
      step.origin = step.loaded;
      step.changed.clear();
    }
    step.changed.insert(step.changed.end(), ranges.begin(), ranges.end());
    if (!own) {
      auto program = bundle->cachedFrom(*step.program, weights->files());
      if (!program.ok())
        return program.status();
      own = *std::move(program);
      own->makeOf(step.origin, weights->files(), step.changed);
    }
    step.loaded = own;
  }
  return absl::OkStatus();
}

} // namespace ane::rt
