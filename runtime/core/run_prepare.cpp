//===- run_prepare.cpp - What is done before steps run --------------------===//
#include "absl/strings/str_cat.h"
#include "runtime/core/annotate.h"
#include "runtime/core/run.h"

namespace ane::rt {

Run::Run(Bundle &bundle, const Plan &plan, States &states, Values &values, MemoryBudget &budget)
    : bundle(bundle), plan(plan), states(states), values(values), budget(budget),
      code(bundle, budget, plan.mostArguments), programs(bundle, plan, values, budget), costs(plan, bundle, values),
      judge(bundle.numeric(), values), twins(plan.programSteps) {
  updates.reserve(plan.updateSteps);
}

absl::Status Run::prepare() {
  const std::vector<absl::Status> loaded = programs.load();
  for (size_t i = 0; i < plan.steps.size(); ++i)
    if (absl::Status s = prepareStep(i, loaded); !s.ok())
      return s;
  return makeRequests();
}

absl::Status Run::prepareStep(size_t index, const std::vector<absl::Status> &loaded) {
  const auto &work = plan.steps[index].work;
  if (const auto *program = std::get_if<ProgramStep>(&work))
    return prepareProgram(index, *program, loaded[program->shared]);
  if (const auto *host = std::get_if<HostStep>(&work))
    return code.add(*host->function);
  return prepareUpdate(index);
}

absl::Status Run::prepareProgram(size_t index, const ProgramStep &work, const absl::Status &loaded) {
  absl::Status status = loaded.ok() ? programs.prepare(plan.steps[index], work) : loaded;
  if (status.ok())
    costs.step(index).weightBytes = plan.programs[work.shared]->fileBytes();
  else if (refusalOf(status) == Refusal::None)
    return annotate(status, absl::StrCat("program ", work.label(), " on ", bundle.deviceName()));
  return status.ok() ? status : goToTwin(index, work, "load", status);
}

absl::Status Run::prepareUpdate(size_t index) {
  const PlannedStep &step = plan.steps[index];
  auto window = WindowUpdate::create(*plan.manifest, *step.record, budget);
  if (!window.ok())
    return window.status();
  Value &value = values.at(step.outputs[0]);
  updates.push_back({*std::move(window), std::get<UpdateStep>(step.work).state, &value});
  value.expectEntries();
  for (SurfaceForm &form : value.forms)
    form.layout.prepareEntries(value.type.shape, step.record->axis);
  return absl::OkStatus();
}

/// Runs find the requests that they need: the surfaces of states and of their next values change places from run to
/// run.
absl::Status Run::makeRequests() {
  if (absl::Status s = bindSurfaces(); !s.ok())
    return s;
  struct OtherTurn { // the states are another session's function's, too: they end as they were, also after an exception
    explicit OtherTurn(Run &of) : of(of) { of.swapStates(); }
    ~OtherTurn() { of.swapStates(); }
    Run &of;
  } other(*this);
  return bindSurfaces();
}

absl::Status Run::bindSurfaces() {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const auto *work = std::get_if<ProgramStep>(&plan.steps[i].work);
    if (!work || !programs.has(*work))
      continue;
    absl::Status status = programs.bind(*work);
    if (!status.ok() && refusalOf(status) != Refusal::None)
      status = goToTwin(i, *work, "load", status);
    if (!status.ok())
      return status;
  }
  return absl::OkStatus();
}

void Run::swapStates() {
  for (const StateSlot &slot : plan.states)
    if (slot.change == StateSlot::Change::Swapped)
      swapSurfaces(values.at(slot.write), values.at(slot.read));
}

absl::Status Run::setWeight(const std::string &name, const void *data, int64_t bytes, bool stays) {
  auto weight = manifest::findWeight(*plan.manifest, name);
  if (!weight.ok())
    return weight.status();
  if (!code.weights()) {
    auto made = SessionWeights::make(bundle);
    if (absl::Status s = made.ok() ? code.use(*std::move(made)) : made.status(); !s.ok())
      return s;
  }
  SessionWeights &weights = *code.weights();
  auto changes = weights.set(**weight, data, bytes, stays);
  if (!changes.ok())
    return changes.status();
  auto written = programs.replaceReaders(*changes, weights.files());
  if (!written.ok())
    return written.status();
  costs.addWeightBytes(*written);
  weights.told(**weight);
  return absl::OkStatus();
}

absl::Status Run::copyWeights(const Run &from) {
  if (!from.code.weights())
    return absl::OkStatus();
  auto copy = from.code.weights()->copy();
  if (absl::Status s = copy.ok() ? code.use(*std::move(copy)) : copy.status(); !s.ok())
    return s;
  SessionWeights &weights = *code.weights();
  for (const manifest::Weight *weight : weights.changed()) {
    std::vector<SessionWeights::Change> changes;
    for (const manifest::StoredWeight &stored : weight->stored)
      changes.push_back({&stored, stored.offset, stored.bytes});
    auto written = programs.replaceReaders(changes, weights.files());
    if (!written.ok())
      return written.status();
    costs.addWeightBytes(*written);
  }
  return absl::OkStatus();
}

} // namespace ane::rt
