//===- executor.cpp - Runs a function of a bundle -------------------------===//
#include "runtime/core/executor.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/annotate.h"
#include "runtime/core/checks.h"
#include "runtime/support/clock.h"
#include <algorithm>

namespace ane::rt {

absl::StatusOr<std::unique_ptr<Executor>> Executor::create(std::shared_ptr<Bundle> bundle, const std::string &name,
                                                           std::shared_ptr<States> states) {
  auto function = bundle->function(name);
  if (!function.ok())
    return function.status();
  std::unique_ptr<Executor> executor(new Executor(std::move(bundle)));
  executor->function = *function;
  executor->stateMemory = std::move(states);
  if (absl::Status s = executor->allocateValues(); !s.ok())
    return s;
  if (absl::Status s = executor->loadPrograms(); !s.ok())
    return s;
  for (const manifest::Step &step : (*function)->steps)
    if (absl::Status s = executor->prepareStep(step); !s.ok())
      return s;
  executor->ahead.clear();
  if (absl::Status s = executor->makeRequests(); !s.ok())
    return s;
  return executor;
}

absl::StatusOr<std::unique_ptr<Executor>> Executor::fork() const {
  auto other = create(bundle, function->name);
  if (!other.ok())
    return other;
  (*other)->stateMemory->copyFrom(*stateMemory);
  absl::Status status = (*other)->copyWeights(*this);
  if (!status.ok())
    return status;
  return other;
}

absl::StatusOr<std::unique_ptr<Executor>> Executor::share(const std::string &name) const {
  auto other = create(bundle, name, stateMemory);
  absl::Status status = other.ok() ? (*other)->copyWeights(*this) : absl::OkStatus();
  if (!status.ok())
    return status;
  return other;
}

void StepProfile::add(const Evaluation &cost) {
  ++evaluations;
  retries += cost.retries;
  evaluationNs += cost.ns;
  inputBytes += cost.inputBytes;
  outputBytes += cost.outputBytes;
  energyNj = energyNj && cost.energyNj ? std::optional<int64_t>(*energyNj + *cost.energyNj) : std::nullopt;
}

/// What updates have written into states in this run: taken back unless it is kept, after an exception, too.
class Executor::Written {
public:
  explicit Written(Executor &executor) : executor(executor) {}
  ~Written() {
    if (!isKept)
      takeBack();
  }
  void takeBack() {
    for (Step &step : executor.steps)
      if (step.update && step.update->undo(step.outputs[0]->dense))
        step.outputs[0]->wroteDense(); // surfaces may have what was taken back
  }
  void keep() {
    isKept = true;
    for (Step &step : executor.steps)
      if (step.update)
        step.update->keep();
  }

private:
  Executor &executor;
  bool isKept = false;
};

absl::Status Executor::run(const Accept &accept) {
  for (const Port &port : inputPorts) {
    if (!port.set)
      return absl::FailedPreconditionError(absl::StrCat("input ", port.name, " was not set"));
    if (absl::Status s = checkIndices(*port.place, port.type, port.data); !s.ok())
      return s;
  }
  if (absl::Status s = checkOverlaps(); !s.ok())
    return s;
  noteInputs();
  // An output may show a state's value, which moves from run to run.
  if (!stateSlots.empty())
    for (Port &port : outputPorts)
      port.data = values.of(port.place->tensor).dense;
  ThreadPool::Scope scope(bundle->pool());
  const Traffic before = values.traffic();
  copied.lastStateBytes = copied.lastSurfaceBytes = copied.lastScannedBytes = 0;
  Written written(*this);
  ++runNumber;
  absl::Status status = runSteps(written);
  if (status.ok())
    status = checkResults();
  if (status.ok() && accept)
    status = accept();
  if (!status.ok()) {
    copied.lastStateBytes = 0;
    return status;
  }
  written.keep();
  advanceStates();
  copied.lastSurfaceBytes = values.traffic().copiedBytes - before.copiedBytes;
  copied.lastScannedBytes = values.traffic().scannedBytes - before.scannedBytes;
  copied.totalClamped += values.traffic().clampedElements - before.clampedElements;
  ++copied.runs;
  copied.totalSurfaceBytes += copied.lastSurfaceBytes;
  copied.totalStateBytes += copied.lastStateBytes;
  copied.totalScannedBytes += copied.lastScannedBytes;
  return absl::OkStatus();
}

absl::Status Executor::checkResults() const {
  for (const manifest::Check &check : function->checks)
    if (absl::Status s = checkValue(check, values.of(check.tensor).type, values.of(check.tensor).dense); !s.ok())
      return s;
  return absl::OkStatus();
}

absl::Status Executor::runSteps(Written &written) {
  const bool lookedInside = looksInside;
  for (size_t i = 0; i < steps.size(); ++i) {
    if (*cancelled)
      return absl::CancelledError(
          absl::StrCat("function ", function->name, " was cancelled before step ", i, " of ", steps.size()));
    lastEvaluation = Evaluation();
    const int64_t start = nowNs(), moving = values.traffic().ns;
    if (absl::Status s = runStep(i); !s.ok())
      return s;
    StepProfile &profile = profiles[i];
    profile.lastLayoutNs = values.traffic().ns - moving;
    profile.lastNs = nowNs() - start;
    profile.totalNs += profile.lastNs;
    profile.totalLayoutNs += profile.lastLayoutNs;
    ++profile.runs;
    if (spans)
      spans->push_back(
          {profile.name, profile.kind, profile.device, start, profile.lastNs, profile.lastLayoutNs, lastEvaluation});
    if (looksInside != lookedInside) {
      written.takeBack();
      return runSteps(written);
    }
  }
  return absl::OkStatus();
}

absl::Status Executor::runStep(size_t index) {
  Step &step = steps[index];
  if (step.loaded)
    if (absl::Status s = runLoaded(step, index); !s.ok())
      return s;
  if (step.update) {
    if (absl::Status s = runUpdate(step); !s.ok())
      return annotate(s, absl::StrCat("function ", function->name, ", step ", index));
  } else if (!step.loaded) {
    if (absl::Status s = runCode(step); !s.ok())
      return annotate(s, absl::StrCat("function ", function->name, ", step ", index));
  }
  for (Value *value : step.outputs)
    if (value->isSeen)
      if (absl::Status s = values.bringDense(*value); !s.ok())
        return annotate(s, absl::StrCat("function ", function->name, ", step ", index));
  return absl::OkStatus();
}

/// On the device, unless it refuses: then `loaded` is null, and the twin has to take over.
absl::Status Executor::runLoaded(Step &step, size_t index) {
  StepProfile &profile = profiles[index];
  auto trouble = inputTrouble(step);
  if (!trouble.ok())
    return trouble.status();
  if (auto rescued = rescue(step, profile, *trouble); !rescued.ok() || *rescued)
    return rescued.status();
  absl::Status status = runProgram(step, profile);
  if (!status.ok() && refusalOf(status) == Refusal::None)
    return annotate(status, absl::StrCat("function ", function->name, ", step ", index, ", program ", step.label(),
                                         " on ", bundle->deviceName()));
  // Inputs are untouched, so the twin can take over in the middle of a run,
  // and does for all later ones.
  if (!status.ok())
    return prepareTwin(step, index, "run", status);
  if (!trouble->cause.empty())
    return absl::OkStatus();
  trouble = outputTrouble(step);
  return trouble.ok() ? rescue(step, profile, *trouble).status() : trouble.status();
}

absl::Status Executor::runUpdate(Step &step) {
  for (Value *value : step.inputs)
    if (absl::Status s = values.bringDense(*value); !s.ok())
      return s;
  WindowUpdate &update = *step.update;
  Value &state = *step.outputs[0];
  if (absl::Status s = update.apply(step.inputs[0]->dense, step.inputs[1]->dense, state.dense); !s.ok())
    return s;
  if (update.written().empty())
    return absl::OkStatus();
  copied.lastStateBytes += update.bytes();
  for (const WindowUpdate::Run &run : update.written())
    state.wroteEntries(update.along(), run.first, run.count);
  return absl::OkStatus();
}

absl::Status Executor::runProgram(Step &step, StepProfile &profile) {
  for (size_t i = 0; i < step.surfaceInputs.size(); ++i) {
    Argument &input = step.surfaceInputs[i];
    absl::Status status = values.bringSurface(*input.value, *input.form);
    if (status.ok() && bundle->numeric() == NumericPolicy::Clamp)
      status = values.clampInfinite(*input.value, *input.form);
    if (!status.ok())
      return status;
  }
  step.findSurfaces();
  auto cost = step.loaded->evaluate(step.call, step.inputSurfaces, step.outputSurfaces);
  if (!cost.ok())
    return cost.status();
  profile.add(*cost);
  if (spans)
    lastEvaluation = *cost;
  if (!cost->weightsNote.empty())
    noteOnce({step.label(), bundle->deviceName(), "weights", cost->weightsNote});
  if (!cost->pathNote.empty())
    noteOnce({step.label(), bundle->deviceName(), "evaluation", cost->pathNote});
  for (Argument &output : step.surfaceOutputs) {
    absl::Status status = values.wroteSurface(*output.value, *output.form);
    if (status.ok() && bundle->numeric() == NumericPolicy::Clamp)
      status = values.clampInfinite(*output.value, *output.form);
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

void Executor::Step::findSurfaces() {
  for (size_t i = 0; i < surfaceInputs.size(); ++i)
    inputSurfaces[i] = surfaceInputs[i].form->surface.get();
  for (size_t i = 0; i < surfaceOutputs.size(); ++i)
    outputSurfaces[i] = surfaceOutputs[i].form->surface.get();
}

absl::Status Executor::runCode(Step &step) {
  auto argument = step.args.begin();
  for (Value *value : step.inputs) {
    if (absl::Status s = values.bringDense(*value); !s.ok())
      return s;
    *argument++ = value->dense;
  }
  for (Value *value : step.outputs)
    *argument++ = value->dense;
  ane_host_context context = {weights ? weights->hostBases() : bundle->weights(), arena.data()};
  step.code(step.args.data(), &context);
  for (Value *value : step.outputs)
    value->wroteDense();
  return absl::OkStatus();
}

} // namespace ane::rt
