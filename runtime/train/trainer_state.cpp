//===- trainer_state.cpp - Parameters and state of a trainer --------------===//
#include "absl/strings/str_cat.h"
#include "runtime/support/number_text.h"
#include "runtime/support/quote.h"
#include "runtime/train/trainer.h"
#include <cmath>
#include <cstring>

namespace ane::rt::train {
namespace {

constexpr int64_t kFloat = sizeof(float);

} // namespace

absl::StatusOr<const Parameter *> Trainer::named(const std::string &name, int64_t bytes) const {
  const Parameter *parameter = places.find(name);
  if (!parameter) {
    std::string names;
    for (const Parameter &other : places.all())
      absl::StrAppend(&names, names.empty() ? "" : ", ", other.name);
    return absl::NotFoundError(absl::StrCat("there is no parameter ", quote(name), "; the bundle trains ", names));
  }
  if (bytes != parameter->elements * kFloat)
    return absl::InvalidArgumentError(absl::StrCat(
        "parameter ", name, ": has ", unsignedSize(bytes), " bytes, expected ",
        manifest::typeText({ElementType::Float32, parameter->shape}), " of ", parameter->elements * kFloat, " bytes"));
  return parameter;
}

absl::Status Trainer::readParameter(const std::string &name, float *data, int64_t bytes) const {
  auto parameter = named(name, bytes);
  if (parameter.ok())
    std::memcpy(data, weights.data() + (*parameter)->offset, static_cast<size_t>(bytes));
  return parameter.status();
}

absl::Status Trainer::writeParameter(const std::string &name, const float *data, int64_t bytes) {
  auto parameter = named(name, bytes);
  if (!parameter.ok())
    return parameter.status();
  std::memcpy(weights.data() + (*parameter)->offset, data, static_cast<size_t>(bytes));
  forgetBindings();
  return absl::OkStatus();
}

absl::Status Trainer::readGradient(const std::string &name, float *data, int64_t bytes) const {
  auto parameter = named(name, bytes);
  if (!parameter.ok())
    return parameter.status();
  if ((*parameter)->frozen)
    return absl::FailedPreconditionError(absl::StrCat("parameter ", name, " is frozen and has no gradient"));
  if (gradientScale == 0)
    return absl::FailedPreconditionError("there are no gradients: compute some first");
  const float *from = gradients.data() + (*parameter)->offset;
  for (int64_t i = 0; i < (*parameter)->elements; ++i)
    data[i] = static_cast<float>(from[i] * gradientScale);
  return absl::OkStatus();
}

/// All weights may have changed, also frozen ones, which are bound once otherwise.
void Trainer::forgetBindings() {
  hasFirstWeights = false;
  stepReader.version = 0;
  if (evaluateReader)
    evaluateReader->version = 0;
}

RunState Trainer::state(RunState state) const {
  state.step = stepsDone;
  state.updates = updatesDone;
  state.microBatch = microBatches;
  state.optimizer = optimizer->kind();
  state.hyperParameters = optimizer->hyperParameters();
  const Schedule &schedule = given.schedule;
  state.settings["schedule"] = scheduleName(schedule.kind);
  state.hyperParameters["rate"] = schedule.rate;
  state.hyperParameters["warmup"] = static_cast<double>(schedule.warmup);
  // Without an end it is the same whatever is to come.
  if (schedule.kind != Schedule::Kind::Constant) {
    state.hyperParameters["end"] = schedule.end;
    state.hyperParameters["steps"] = static_cast<double>(schedule.steps);
  }
  state.hyperParameters["clip"] = given.clip;
  state.hyperParameters["accumulate"] = static_cast<double>(given.accumulate);
  if (given.device.clampsFp16)
    state.settings["fp16"] = "clamped";
  state.lossScale = lossScale.state().scale;
  state.finiteSteps = lossScale.state().finite;
  state.skippedSteps = lossScale.state().skipped;
  state.device = device();
  state.host = ane_bundle_host(bundle.get());
  return state;
}

int64_t Trainer::arenaBytes() const {
  int64_t floats = weights.floats() + gradients.floats() + more.floats();
  for (const Optimizer::Moment &moment : optimizer->moments())
    floats += moment.values.floats();
  return floats * kFloat;
}

std::vector<RunArray> Trainer::arrays() const {
  std::vector<RunArray> list;
  auto add = [&](const std::string &moment, float *arena) {
    for (const Parameter &parameter : places.all())
      if (moment.empty() || !parameter.frozen)
        list.push_back({moment, parameter.name, parameter.shape, arena + parameter.offset});
  };
  add("", weights.data());
  for (const Optimizer::Moment &moment : optimizer->moments())
    add(moment.name, moment.values.data());
  return list;
}

absl::StatusOr<std::string> Trainer::save(const std::string &folder, const RunState &mine, int64_t keep) const {
  if (isTorn || microBatches != 0)
    return absl::FailedPreconditionError(isTorn ? "an update has failed halfway; there is no state to keep"
                                                : "a step is under way: end it by an update first");
  return saveCheckpoint(folder, state(mine), identity, arrays(), keep);
}

absl::Status Trainer::checkRun(const RunState &there, const RunState &mine) const {
  const RunState here = state(mine);
  std::string found = difference(there, here);
  if (found.empty() && given.deterministic && (there.device != here.device || there.host != here.host))
    found = absl::StrCat("device is ", there.device, " there and ", here.device, " here, CPU code for ",
                         quote(there.host), " there and ", quote(here.host), " here, which may give other bits");
  if (!found.empty())
    return absl::FailedPreconditionError(absl::StrCat("a run can't go on as another one: ", found));
  const bool isPossible = there.step >= 0 && there.updates >= 0 && there.updates <= there.step &&
                          there.microBatch == 0 && there.lossScale > 0 && std::isfinite(there.lossScale) &&
                          there.finiteSteps >= 0 && there.skippedSteps >= 0;
  return isPossible ? absl::OkStatus()
                    : absl::DataLossError(absl::StrCat("no run was ever like this: ", there.updates, " updates in ",
                                                       there.step, " steps, micro-batch ", there.microBatch,
                                                       ", loss scale ", there.lossScale));
}

absl::StatusOr<RunState> Trainer::load(const std::string &path, const RunState &mine) {
  auto place = findCheckpoint(path);
  if (!place.ok())
    return place.status();
  // Before anything is filled.
  auto stored = readCheckpointState(*place);
  if (!stored.ok())
    return stored.status();
  if (absl::Status s = checkRun(stored->run, mine); !s.ok())
    return absl::Status(s.code(), absl::StrCat(*place, ": ", s.message()));
  auto loaded = loadCheckpoint(*place, identity, arrays());
  if (!loaded.ok())
    return loaded;
  stepsDone = loaded->step;
  updatesDone = loaded->updates;
  lossScale.restore({loaded->lossScale, loaded->finiteSteps, loaded->skippedSteps});
  microBatches = 0;
  gradientScale = 0;
  isTorn = false;
  forgetBindings();
  return loaded;
}

} // namespace ane::rt::train
