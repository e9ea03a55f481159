//===- plan.cpp - What runs of a function do ------------------------------===//
#include "runtime/core/plan.h"
#include "runtime/core/host_code.h"
#include "runtime/core/state_plan.h"
#include <algorithm>
#include <unordered_set>

namespace ane::rt {
namespace {

/// Makes a plan.
class Planner {
public:
  Planner(Bundle &bundle, const manifest::Function &function, Plan &plan)
      : bundle(bundle), manifest(bundle.manifest()), function(function), plan(plan) {}

  absl::Status make() {
    plan.manifest = &manifest;
    plan.function = &function;
    addStates();
    if (absl::Status s = addValues(); !s.ok())
      return s;
    addPorts(function.inputs, plan.inputs);
    addPorts(function.outputs, plan.outputs);
    for (const manifest::Check &check : function.checks) {
      plan.checks.push_back({&check, valueOf(check.tensor)});
      plan.values[plan.checks.back().value].isSeen = true;
    }
    for (const StateSlot &slot : plan.states)
      plan.values[slot.write].isSeen = true;
    for (const manifest::Step &step : function.steps)
      if (absl::Status s = addStep(step); !s.ok())
        return s;
    return absl::OkStatus();
  }

private:
  size_t valueOf(int64_t tensor) const { return byTensor.at(tensor); }

  size_t addValue(int64_t tensor, PlannedValue value) {
    value.type = &manifest.tensors[tensor].type;
    plan.values.push_back(std::move(value));
    return byTensor[tensor] = plan.values.size() - 1;
  }

  void addStates() {
    // Tensors that something else has a claim to.
    std::unordered_set<int64_t> taken;
    for (const auto *ports : {&function.inputs, &function.outputs})
      for (const manifest::Port &port : *ports)
        taken.insert(port.tensor);
    for (const manifest::StateUse &use : function.states)
      taken.insert(use.read);
    for (const manifest::Step &step : function.steps)
      if (step.kind == manifest::Step::Kind::Update)
        taken.insert(step.outputs[0]);
    using Change = StateSlot::Change;
    const auto updates = updatesOf(function);
    for (const manifest::StateUse &use : function.states) {
      const auto state = static_cast<size_t>(use.state);
      Change change = Change::None;
      if (updates.count(manifest.states[state].name))
        change = Change::Updated;
      else if (use.read != use.write)
        change = taken.insert(use.write).second ? Change::Swapped : Change::Copied;
      if (change == Change::Swapped || change == Change::Copied)
        plan.changedStates.push_back(state);
      const size_t read = addValue(use.read, {nullptr, PlannedValue::Home::State, 0, state});
      if (change == Change::Updated)
        byTensor[use.write] = read;
      else if (change == Change::Swapped)
        addValue(use.write, {nullptr, PlannedValue::Home::NextState, 0, state});
      plan.states.push_back({state, read, 0, change});
    }
  }

  absl::Status addValues() {
    manifest::ValueLives needed =
        manifest::valueLives(manifest, function, [&](int64_t tensor) { return byTensor.count(tensor) != 0; });
    auto places = planMemory(needed.lives);
    if (!places.ok())
      return places.status();
    plan.bytes = places->bytes;
    plan.needs = manifest::runMemory(manifest, function, plan.bytes, bundle.device() != nullptr);
    std::unordered_map<int64_t, manifest::SurfaceKinds> kinds;
    if (bundle.device())
      addSurfaces(manifest::Procedures(manifest), function, kinds);
    for (size_t i = 0; i < needed.tensors.size(); ++i)
      addValue(needed.tensors[i],
               {nullptr, PlannedValue::Home::Run, places->offsets[i], 0, std::move(kinds[needed.tensors[i]])});
    for (size_t i = 0; i < plan.states.size(); ++i)
      plan.states[i].write = valueOf(function.states[i].write);
    return absl::OkStatus();
  }

  void addPorts(const std::vector<manifest::Port> &ports, std::vector<PlannedPort> &planned) {
    for (const manifest::Port &port : ports) {
      auto shows = [&](const manifest::Port &other) { return other.tensor == port.tensor; };
      const auto count = std::count_if(function.inputs.begin(), function.inputs.end(), shows) +
                         std::count_if(function.outputs.begin(), function.outputs.end(), shows);
      planned.push_back({&port, valueOf(port.tensor), count == 1});
      plan.values[planned.back().value].isSeen = true;
    }
  }

  absl::Status addStep(const manifest::Step &record) {
    PlannedStep step;
    step.record = &record;
    step.name = record.target;
    for (int64_t tensor : record.inputs)
      step.inputs.push_back(valueOf(tensor));
    for (int64_t tensor : record.outputs)
      step.outputs.push_back(valueOf(tensor));
    plan.mostArguments = std::max(plan.mostArguments, step.inputs.size() + step.outputs.size());
    absl::Status status;
    switch (record.kind) {
    case manifest::Step::Kind::Host:
      status = setCode(step, bundle.hostFunction(record.target), nullptr);
      break;
    case manifest::Step::Kind::Program:
      status = setProgram(step, bundle.program(record.target));
      break;
    case manifest::Step::Kind::Update:
      step.work = UpdateStep{plan.values[step.outputs[0]].state, plan.updateSteps++};
      break;
    }
    if (!std::holds_alternative<ProgramStep>(step.work))
      for (size_t value : step.inputs)
        plan.values[value].isRead = true;
    plan.steps.push_back(std::move(step));
    return status;
  }

  absl::Status setCode(PlannedStep &step, const manifest::HostFunction &host, const manifest::Procedure *twinOf) {
    auto code = findCode(bundle, host);
    if (code.ok())
      step.work = HostStep{&host, *code, twinOf};
    return code.status();
  }

  absl::Status setProgram(PlannedStep &step, const manifest::Program &program) {
    auto procedure = std::find_if(program.procedures.begin(), program.procedures.end(),
                                  [&](const auto &each) { return each.name == step.record->procedure; });
    step.name = manifest::nameOf(program, *procedure);
    if (!bundle.device()) {
      auto twin = findTwin(bundle, program, *procedure);
      return twin.ok() ? setCode(step, **twin, &*procedure) : twin.status();
    }
    auto [place, isNew] = sharedIndex.try_emplace(&program, plan.programs.size());
    if (isNew) {
      auto cached = bundle.cached(program);
      if (!cached.ok())
        return cached.status();
      plan.programs.push_back(*std::move(cached));
    }
    step.work = ProgramStep{&program, &*procedure, place->second, plan.programSteps++};
    return absl::OkStatus();
  }

  Bundle &bundle;
  const manifest::Manifest &manifest;
  const manifest::Function &function;
  Plan &plan;
  std::unordered_map<int64_t, size_t> byTensor; ///< values of the plan
  std::unordered_map<const manifest::Program *, size_t> sharedIndex;
};

} // namespace

absl::StatusOr<std::unique_ptr<const Plan>> Plan::make(Bundle &bundle, const manifest::Function &function) {
  auto plan = std::make_unique<Plan>();
  if (absl::Status s = Planner(bundle, function, *plan).make(); !s.ok())
    return s;
  return plan;
}

} // namespace ane::rt
