//===- plan.h - What runs of a function do ----------------------*- C++ -*-===//
//
// All that is the same in each session of a bundle is found out once for each of its
// functions, and never changes then: where values lie, what steps read and write,
// the CPU code and the programs that they run, what becomes of states. A plan has
// no memory of any session: it says where in the session's memory a value begins.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_PLAN_H
#define ANE_RUNTIME_CORE_PLAN_H

#include "runtime/core/bundle.h"
#include "runtime/format/manifest/memory.h"
#include <variant>

namespace ane::rt {

/// A value of the function, and where a session has it.
struct PlannedValue {
  enum class Home : uint8_t {
    Run,      ///< at `offset` of the memory of runs
    State,    ///< it is the value of `state`
    NextState ///< it is what `state` becomes
  };
  const manifest::TensorType *type;
  Home home = Home::Run;
  int64_t offset = 0;
  size_t state = 0;
  manifest::SurfaceKinds kinds = {}; ///< as Value has it; those of a state are the state's
  bool isSeen = false, isRead = false;
};

/// CPU code.
struct HostStep {
  const manifest::HostFunction *function;
  ane_host_fn code;
  /// Computed instead, since the bundle has no device; null: nothing.
  const manifest::Procedure *twinOf = nullptr;
};

/// A procedure of a program on the device.
struct ProgramStep {
  const manifest::Program *program;
  const manifest::Procedure *procedure; ///< of it
  size_t shared;                        ///< in Plan::programs
  size_t slot;                          ///< among the steps of this kind

  /// In messages.
  std::string label() const { return manifest::nameOf(*program, *procedure); }
};

/// A write into a part of a state.
struct UpdateStep {
  size_t state;
  size_t slot; ///< among the steps of this kind
};

struct PlannedStep {
  const manifest::Step *record;
  std::string name; ///< see StepProfile
  std::vector<size_t> inputs, outputs;
  std::variant<HostStep, ProgramStep, UpdateStep> work;
};

struct PlannedPort {
  const manifest::Port *record;
  size_t value;
  bool isAlone = true; ///< no other port shows the value
};

struct PlannedCheck {
  const manifest::Check *record;
  size_t value;
};

/// What the function does to a state.
struct StateSlot {
  enum class Change : uint8_t {
    None,
    Swapped, ///< steps write the next value in its place
    Copied,  ///< there, at the end of a run: the tensor is an input, an output or another state's value, too
    Updated  ///< a step changes a part of the value
  };
  size_t state;
  size_t read, write; ///< values, see manifest::StateUse; the same unless it is Swapped or Copied
  Change change;
};

/// What runs of a function do, the same in all sessions of its bundle.
struct Plan {
  /// `function` is one of the bundle's, which outlives the plan. Loads native code, but no programs.
  static absl::StatusOr<std::unique_ptr<const Plan>> make(Bundle &bundle, const manifest::Function &function);

  const manifest::Manifest *manifest;
  const manifest::Function *function;
  std::vector<PlannedValue> values;
  int64_t bytes = 0;         ///< of the memory of runs
  manifest::RunMemory needs; ///< all that a session allocates, beside states
  std::vector<PlannedPort> inputs, outputs;
  std::vector<PlannedCheck> checks;
  std::vector<StateSlot> states;
  std::vector<size_t> changedStates;                    ///< those whose next value takes the place of the value
  std::vector<std::shared_ptr<CachedProgram>> programs; ///< each once, with the bundle's weights
  size_t programSteps = 0, updateSteps = 0;
  size_t mostArguments = 0; ///< inputs and outputs of a step
  std::vector<PlannedStep> steps;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_PLAN_H
