//===- run.h - The runs of a session ----------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_RUN_H
#define ANE_RUNTIME_CORE_RUN_H

#include "runtime/core/host_code.h"
#include "runtime/core/run_record.h"
#include "runtime/core/session_programs.h"
#include "runtime/core/states.h"
#include "runtime/core/window_update.h"
#include <atomic>
#include <functional>

namespace ane::rt {

/// The runs of a session, one at a time: they take the steps of the plan in order, on the device or on the CPU, and
/// leave states as they were unless they succeed.
class Run {
public:
  /// All of these outlive it.
  Run(Bundle &bundle, const Plan &plan, States &states, Values &values, MemoryBudget &budget);

  /// Loads and allocates what steps need. Programs that the device refuses go to their CPU twin.
  absl::Status prepare();
  /// Runs all steps; inputs are set. Allocates nothing itself; a device may, as the emulator's kernels do. After an
  /// error states are as they were. `accept`: see Executor::run().
  absl::Status perform(const std::function<absl::Status()> &accept);

  /// See Executor::writeFirst(), setWeight() and copyWeights().
  void writeFirst(size_t state, int64_t count);
  absl::Status setWeight(const std::string &name, const void *data, int64_t bytes, bool stays);
  absl::Status copyWeights(const Run &from);

  RunRecord &record() { return costs; }
  const RunRecord &record() const { return costs; }
  /// Runs end before their next step while it is set.
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);

private:
  struct Update {
    WindowUpdate window;
    size_t state;
    Value *value; ///< of the state
  };
  class Written;

  absl::Status prepareStep(size_t index, const std::vector<absl::Status> &loaded);
  absl::Status prepareProgram(size_t index, const ProgramStep &work, const absl::Status &loaded);
  absl::Status prepareUpdate(size_t index);
  absl::Status makeRequests();
  absl::Status bindSurfaces();
  void swapStates();
  absl::Status runSteps(Written &written);
  absl::Status runStep(size_t index);
  absl::Status runUpdate(const PlannedStep &step, Update &update);
  absl::Status runProgram(size_t index, const ProgramStep &work);
  absl::Status evaluate(size_t index, const ProgramStep &work);
  absl::Status findTwinCode(const ProgramStep &work);
  absl::Status runTwin(size_t index, const ProgramStep &work);
  absl::Status goToTwin(size_t index, const ProgramStep &work, const char *phase, const absl::Status &reason);
  bool leaveDevice(const absl::Status &reason);
  absl::StatusOr<bool> rescue(size_t index, const ProgramStep &work, const Trouble &trouble);
  absl::Status checkResults() const;
  void advanceStates();
  std::string where(size_t step) const;

  Bundle &bundle;
  const Plan &plan;
  States &states;
  Values &values;
  MemoryBudget &budget;
  HostCode code;
  SessionPrograms programs;
  RunRecord costs;
  Judge judge;
  std::vector<ane_host_fn> twins; ///< by ProgramStep::slot, once one is needed
  std::vector<Update> updates;    ///< by UpdateStep::slot
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_RUN_H
