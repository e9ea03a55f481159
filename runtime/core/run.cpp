//===- run.cpp - What changes while steps run -----------------------------===//
#include "runtime/core/run.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/annotate.h"
#include "runtime/core/checks.h"
#include "runtime/device/refusal.h"
#include <cstring>

namespace ane::rt {

/// What updates have written into states in this run: taken back unless it is kept, after an exception, too.
class Run::Written {
public:
  explicit Written(Run &run) : run(run) {}
  ~Written() {
    if (!isKept)
      takeBack();
  }
  void takeBack() {
    for (Update &update : run.updates)
      if (update.window.undo(update.value->dense))
        update.value->wroteDense(); // surfaces may have what was taken back
  }
  void keep() {
    isKept = true;
    for (Update &update : run.updates)
      update.window.keep();
  }

private:
  Run &run;
  bool isKept = false;
};

absl::Status Run::perform(const std::function<absl::Status()> &accept) {
  ThreadPool::Scope scope(bundle.pool());
  Written written(*this);
  costs.beginRun();
  absl::Status status = runSteps(written);
  // Values that a surface keeps back are computed again.
  if (codeOf(status) == kNoMapping && leaveDevice(status)) {
    written.takeBack();
    status = runSteps(written);
  }
  if (status.ok())
    status = checkResults();
  if (status.ok() && accept)
    status = accept();
  if (status.ok()) {
    written.keep();
    advanceStates();
  }
  costs.endRun(status.ok());
  return status;
}

absl::Status Run::checkResults() const {
  for (const PlannedCheck &check : plan.checks) {
    const Value &value = values.at(check.value);
    if (absl::Status s = checkValue(*check.record, value.type, value.dense); !s.ok())
      return s;
  }
  return absl::OkStatus();
}

void Run::advanceStates() {
  for (const StateSlot &slot : plan.states) {
    State &state = states.all()[slot.state];
    if (slot.change == StateSlot::Change::Copied && state.bytes != 0) {
      std::memcpy(state.next.dense, values.at(slot.write).dense, static_cast<size_t>(state.bytes));
      state.next.wroteDense();
      costs.addStateBytes(state.bytes);
    }
  }
  states.advance(plan.changedStates);
}

absl::Status Run::runSteps(Written &written) {
  const bool lookedInside = judge.looksInside();
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (*cancelled)
      return absl::CancelledError(
          absl::StrCat("function ", plan.function->name, " was cancelled before step ", i, " of ", plan.steps.size()));
    costs.beginStep();
    if (absl::Status s = runStep(i); !s.ok())
      return s;
    costs.endStep(i);
    if (judge.looksInside() != lookedInside) {
      written.takeBack();
      return runSteps(written);
    }
  }
  return absl::OkStatus();
}

/// In messages.
std::string Run::where(size_t step) const { return absl::StrCat("function ", plan.function->name, ", step ", step); }

absl::Status Run::runStep(size_t index) {
  const PlannedStep &step = plan.steps[index];
  absl::Status status;
  if (const auto *program = std::get_if<ProgramStep>(&step.work)) {
    if (absl::Status s = runProgram(index, *program); !s.ok())
      return s;
  } else if (const auto *update = std::get_if<UpdateStep>(&step.work)) {
    status = runUpdate(step, updates[update->slot]);
  } else {
    status = code.call(std::get<HostStep>(step.work).code, values, step.inputs, step.outputs);
  }
  for (size_t i = 0; status.ok() && i < step.outputs.size(); ++i)
    if (Value &value = values.at(step.outputs[i]); value.isSeen)
      status = values.bringDense(value);
  return status.ok() ? status : annotate(status, where(index));
}

absl::Status Run::runUpdate(const PlannedStep &step, Update &update) {
  for (size_t index : step.inputs)
    if (absl::Status s = values.bringDense(values.at(index)); !s.ok())
      return s;
  WindowUpdate &window = update.window;
  const void *entries = values.at(step.inputs[0]).dense, *positions = values.at(step.inputs[1]).dense;
  if (absl::Status s = window.apply(entries, positions, update.value->dense); !s.ok())
    return s;
  if (window.written().empty())
    return absl::OkStatus();
  costs.addStateBytes(window.bytes());
  for (const WindowUpdate::Run &run : window.written())
    update.value->wroteEntries(window.along(), run.first, run.count);
  return absl::OkStatus();
}

/// On the device, unless it refuses: the twin takes over then, in the middle of a run, since inputs are untouched, and
/// in all later ones.
absl::Status Run::runProgram(size_t index, const ProgramStep &work) {
  if (!programs.has(work))
    return runTwin(index, work);
  auto trouble = judge.ofInputs(programs.inputs(work));
  if (!trouble.ok())
    return trouble.status();
  if (auto rescued = rescue(index, work, *trouble); !rescued.ok() || *rescued)
    return rescued.status();
  absl::Status status = evaluate(index, work);
  if (!status.ok() && refusalOf(status) == Refusal::None)
    return annotate(status, absl::StrCat(where(index), ", program ", work.label(), " on ", bundle.deviceName()));
  if (!status.ok()) {
    status = goToTwin(index, work, "run", status);
    return status.ok() ? runTwin(index, work) : status;
  }
  if (!trouble->cause.empty())
    return absl::OkStatus();
  trouble = judge.ofOutputs(programs.inputs(work), programs.outputs(work));
  return trouble.ok() ? rescue(index, work, *trouble).status() : trouble.status();
}

absl::Status Run::evaluate(size_t index, const ProgramStep &work) {
  if (absl::Status s = programs.bringInputs(work); !s.ok())
    return s;
  auto cost = programs.evaluate(work);
  if (!cost.ok())
    return cost.status();
  costs.addEvaluation(index, *cost);
  if (!cost->weightsNote.empty())
    costs.noteOnce({work.label(), bundle.deviceName(), "weights", cost->weightsNote});
  if (!cost->pathNote.empty())
    costs.noteOnce({work.label(), bundle.deviceName(), "evaluation", cost->pathNote});
  return programs.wroteOutputs(work);
}

absl::Status Run::runTwin(size_t index, const ProgramStep &work) {
  const PlannedStep &step = plan.steps[index];
  absl::Status status = code.call(twins[work.slot], values, step.inputs, step.outputs);
  return status.ok() ? status : annotate(status, where(index));
}

absl::Status Run::findTwinCode(const ProgramStep &work) {
  if (twins[work.slot])
    return absl::OkStatus();
  auto twin = findTwin(bundle, *work.program, *work.procedure);
  if (!twin.ok())
    return twin.status();
  auto found = findCode(bundle, **twin);
  if (!found.ok())
    return found.status();
  if (absl::Status s = code.add(**twin); !s.ok())
    return s;
  twins[work.slot] = *found;
  return absl::OkStatus();
}

/// Turns a step to the CPU for good, because the device refused.
absl::Status Run::goToTwin(size_t index, const ProgramStep &work, const char *phase, const absl::Status &reason) {
  std::string message(reason.message());
  if (absl::Status s = findTwinCode(work); !s.ok())
    return absl::Status(s.code(), absl::StrCat("program ", work.label(), ": ", bundle.deviceName(), " refused it: ",
                                               message, "; its CPU twin cannot run either: ", s.message()));
  Event event = {work.label(), bundle.deviceName(), phase, message};
  event.refusal = refusalOf(reason);
  event.code = codeOf(reason);
  costs.note(std::move(event));
  for (size_t value : plan.steps[index].inputs)
    values.at(value).isRead = true;
  programs.leave(work);
  costs.step(index).kind = "twin";
  costs.step(index).device = "cpu";
  return absl::OkStatus();
}

/// All steps of programs are the CPU's from now on, for a reason that meets each of them. False: they were before, or
/// one has no twin.
bool Run::leaveDevice(const absl::Status &reason) {
  bool wasThere = false;
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (const auto *work = std::get_if<ProgramStep>(&plan.steps[i].work); work && programs.has(*work)) {
      wasThere = true;
      if (!goToTwin(i, *work, "run", reason).ok())
        return false;
    }
  return wasThere;
}

/// Computes this run's outputs of a program on the CPU if there is trouble. Later runs use the
/// device as before. False if there is none, and, with an event, if nobody wants that or there is no
/// CPU code.
absl::StatusOr<bool> Run::rescue(size_t index, const ProgramStep &work, const Trouble &trouble) {
  StepProfile &profile = costs.step(index);
  profile.device = bundle.deviceName();
  if (trouble.cause.empty())
    return false;
  Event event = {work.label(), bundle.deviceName(), "numeric", trouble.text, 1, trouble.cause};
  const bool isWanted = bundle.numeric() == NumericPolicy::Rescue;
  absl::Status status = absl::NotFoundError("no twin");
  if (isWanted && !work.procedure->twin.empty())
    status = findTwinCode(work);
  const bool isRescued = isWanted && status.ok();
  if (isRescued) {
    const PlannedStep &step = plan.steps[index];
    if (absl::Status s = code.call(twins[work.slot], values, step.inputs, step.outputs); !s.ok())
      return s;
    profile.device = "cpu";
    ++profile.rescuedRuns;
  } else if (isWanted) {
    absl::StrAppend(&event.reason, "; its values stay, the CPU cannot run it: ", status.message());
  } else {
    event.reason += "; its values stay, as asked";
  }
  costs.noteOnce(std::move(event));
  return isRescued;
}

void Run::writeFirst(size_t state, int64_t count) {
  for (Update &update : updates)
    if (update.state == state)
      update.window.writeFirst(count);
}

} // namespace ane::rt
