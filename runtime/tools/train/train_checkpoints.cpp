//===- train_checkpoints.cpp - Where a run of ane-train is kept -----------===//
#include "absl/strings/str_cat.h"
#include "runtime/tools/train/train_run.h"

namespace ane::rt::tools {

train::RunState TrainRun::ownState() const {
  train::RunState state;
  state.seed = static_cast<uint64_t>(options.seed);
  state.epoch = feed->position().epoch;
  state.index = feed->position().index;
  state.data = feed->dataset().fingerprint();
  state.lastLoss = result.steps ? std::optional(result.loss) : std::nullopt;
  state.lastEvaluation = result.evaluationLoss;
  return state;
}

absl::Status TrainRun::openCheckpoints() {
  if (options.out.empty())
    return absl::OkStatus();
  std::vector<int64_t> steps = train::listCheckpoints(options.out);
  if (steps.empty())
    return train::checkCheckpoints(options.out);
  if (!options.resume)
    return absl::InvalidArgumentError(absl::StrCat("--out: ", options.out, " has checkpoints, the last of step ",
                                                   steps.back(),
                                                   "; go on from there with --resume, or give another "
                                                   "folder"));
  auto state = trainer->load(options.out, ownState());
  if (!state.ok())
    return state.status();
  if (absl::Status s = feed->seek({state->epoch, state->index}); !s.ok())
    return s;
  // A run that is at its end writes none there, and may be read from where nothing can be written.
  if (state->step < options.steps)
    if (absl::Status s = train::checkCheckpoints(options.out); !s.ok())
      return s;
  savedStep = state->step;
  result.checkpoint = train::checkpointPath(options.out, state->step);
  progress.say(absl::StrCat("goes on from ", result.checkpoint));
  return log.resumed(state->step);
}

absl::Status TrainRun::save() {
  const int64_t step = trainer->state().step;
  if (options.out.empty() || step == savedStep)
    return absl::OkStatus();
  auto place = trainer->save(options.out, ownState(), options.keep);
  if (!place.ok())
    return place.status();
  savedStep = step;
  result.checkpoint = *std::move(place);
  return absl::OkStatus();
}

/// A run goes on where a checkpoint does not fit, since to end it would lose more: the next one may.
absl::Status TrainRun::saveOrTell() {
  absl::Status status = save();
  if (status.ok())
    return status;
  return tell(absl::StrCat("step ", trainer->state().step, " is not kept: ", status.message(), "; ",
                           result.checkpoint.empty() ? "no step is kept so far" : result.checkpoint + " stays"));
}

/// Of what went otherwise than asked.
absl::Status TrainRun::tell(const std::string &event) {
  progress.say(event);
  return log.event(trainer->state().step, event);
}

} // namespace ane::rt::tools
