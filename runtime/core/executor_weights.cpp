//===- executor_weights.cpp - Weights that an executor has changed --------===//
#include "runtime/core/executor.h"
#include <algorithm>
#include <map>
#include <utility>

namespace ane::rt {

/// All code that runs here reads them.
absl::Status Executor::takeWeights(absl::StatusOr<std::unique_ptr<SessionWeights>> made) {
  if (!made.ok())
    return made.status();
  for (const std::string &name : codeNames)
    if (absl::Status s = (*made)->addReader(name); !s.ok())
      return s;
  weights = *std::move(made);
  return absl::OkStatus();
}

absl::Status Executor::setWeight(const std::string &name, const void *data, int64_t bytes, bool stays) {
  auto weight = manifest::findWeight(bundle->manifest(), name);
  if (!weight.ok())
    return weight.status();
  if (!weights)
    if (absl::Status s = takeWeights(SessionWeights::make(*bundle)); !s.ok())
      return s;
  auto changes = weights->set(**weight, data, bytes, stays);
  if (!changes.ok())
    return changes.status();
  absl::Status status = replaceReaders(*changes);
  if (status.ok())
    weights->told(**weight);
  return status;
}

absl::Status Executor::copyWeights(const Executor &from) {
  if (!from.weights)
    return absl::OkStatus();
  if (absl::Status s = takeWeights(from.weights->copy()); !s.ok())
    return s;
  for (const manifest::Weight *weight : weights->changed()) {
    std::vector<SessionWeights::Change> changes;
    for (const manifest::StoredWeight &stored : weight->stored)
      changes.push_back({&stored, stored.offset, stored.bytes});
    if (absl::Status s = replaceReaders(changes); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

/// Programs that read a weight of this executor's own are programs of its own, made
/// when they run of those that they take the place of.
absl::Status Executor::replaceReaders(const std::vector<SessionWeights::Change> &changes) {
  std::vector<bool> isRead(changes.size());
  // Procedures of one program are loaded as one; null: the steps have it already.
  std::map<const manifest::Program *, std::shared_ptr<CachedProgram>> readers;
  for (const Step &step : steps) {
    if (!step.loaded || readers.count(step.program))
      continue;
    WeightRanges ranges;
    for (size_t i = 0; i < changes.size(); ++i) {
      const SessionWeights::Change &change = changes[i];
      if (!std::count(change.stored->programs.begin(), change.stored->programs.end(), step.program->name))
        continue;
      ranges.add({change.stored->file, change.offset, change.bytes});
      isRead[i] = true;
    }
    if (ranges.empty())
      continue;
    std::shared_ptr<CachedProgram> &reader = readers[step.program];
    // Of several weights that are set before the next run, the first has made the program.
    if (step.ownsLoaded && step.loaded->alsoChanged(ranges))
      continue;
    auto made = bundle->cachedFrom(*step.program, weights->files());
    if (!made.ok())
      return made.status();
    (*made)->makeOf({step.loaded, weights->files(), std::move(ranges), step.ownsLoaded, bundle->wantedWay()});
    reader = *std::move(made);
  }
  // Only now: after an error no step has a program that others read otherwise.
  for (Step &step : steps)
    if (auto reader = readers.find(step.program); step.loaded && reader != readers.end() && reader->second) {
      step.loaded = reader->second;
      step.ownsLoaded = true;
    }
  for (size_t i = 0; i < changes.size(); ++i)
    if (isRead[i])
      copied.totalWeightBytes += changes[i].bytes;
  return absl::OkStatus();
}

} // namespace ane::rt
