//===- state_plan.h - What states the sessions of a bundle have -*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_STATE_PLAN_H
#define ANE_RUNTIME_CORE_STATE_PLAN_H

#include "runtime/format/manifest/memory.h"
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ane::rt {

/// What is the same of a state in all sessions of a bundle.
struct PlannedState {
  const manifest::State *record;
  int64_t bytes;
  /// Whether a function writes a whole next value, beside the one that it reads.
  bool hasNext = false;
  /// The axis along which functions write entries at positions; nothing if one writes the whole value.
  std::optional<size_t> axis = {};
  bool isAdapter = false; ///< a matrix of an adapter
  /// The surfaces of all functions, those of next values among them: the two change places.
  manifest::SurfaceKinds kinds = {};
};

/// The states of a manifest, which outlives them, in its order.
std::vector<PlannedState> planStates(const manifest::Manifest &manifest, bool onDevice);

/// The steps of a function that change a part of a state, by the state's name: at most one for each.
std::unordered_map<std::string, const manifest::Step *> updatesOf(const manifest::Function &function);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_STATE_PLAN_H
