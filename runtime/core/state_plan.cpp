//===- state_plan.cpp - What states the sessions of a bundle have ---------===//
#include "runtime/core/state_plan.h"
#include <set>

namespace ane::rt {

std::unordered_map<std::string, const manifest::Step *> updatesOf(const manifest::Function &function) {
  std::unordered_map<std::string, const manifest::Step *> updates;
  for (const manifest::Step &step : function.steps)
    if (step.kind == manifest::Step::Kind::Update)
      updates.emplace(step.target, &step);
  return updates;
}

std::vector<PlannedState> planStates(const manifest::Manifest &manifest, bool onDevice) {
  const std::set<size_t> adapters = manifest::adapterStates(manifest);
  const manifest::Procedures procedures(manifest);
  std::vector<PlannedState> states;
  for (size_t i = 0; i < manifest.states.size(); ++i) {
    PlannedState &state = states.emplace_back();
    state.record = &manifest.states[i];
    state.bytes = manifest::byteCount(state.record->type);
    state.isAdapter = adapters.count(i) != 0;
  }
  std::vector<bool> haveOtherAxes(states.size());
  for (const manifest::Function &function : manifest.functions) {
    const auto updates = updatesOf(function);
    std::unordered_map<int64_t, manifest::SurfaceKinds> ofTensors;
    if (onDevice && !function.states.empty())
      addSurfaces(procedures, function, ofTensors);
    for (const manifest::StateUse &use : function.states) {
      PlannedState &state = states[use.state];
      for (int64_t tensor : {use.read, use.write})
        for (const manifest::SurfaceKinds::Kind &kind : ofTensors[tensor].all())
          state.kinds.add(*kind.first, kind.bytes);
      if (use.read == use.write)
        continue;
      const auto update = updates.find(state.record->name);
      if (update == updates.end()) {
        state.hasNext = true;
        continue;
      }
      // Updates along different axes leave no axis: planned as if the whole value were written.
      const auto axis = static_cast<size_t>(update->second->axis);
      if (state.axis.value_or(axis) != axis)
        haveOtherAxes[use.state] = true;
      state.axis = axis;
    }
  }
  for (size_t i = 0; i < states.size(); ++i)
    if (states[i].hasNext || haveOtherAxes[i])
      states[i].axis.reset();
  return states;
}

} // namespace ane::rt
