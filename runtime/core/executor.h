//===- executor.h - Runs a function of a bundle -----------------*- C++ -*-===//
//
// A session of a function. What sessions have in common is its plan (plan.h), made
// once. Its own are the values (values.h), of which those of states it may share
// (states.h), its inputs and outputs (ports.h), and what runs need (run.h). All is
// set up when the executor is made; run() itself allocates nothing, a device may,
// as the emulator's kernels do. An executor is for one thread at a time; a bundle
// may have many.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_EXECUTOR_H
#define ANE_RUNTIME_CORE_EXECUTOR_H

#include "runtime/core/ports.h"
#include "runtime/core/run.h"

namespace ane::rt {

/// A function of a bundle, and one session's memory for it.
class Executor {
public:
  /// Loads what the function needs. Programs that the device refuses go to
  /// their CPU twin, see events().
  /// `states`: those of a session of the bundle; null: states of its own.
  static absl::StatusOr<std::unique_ptr<Executor>> create(std::shared_ptr<Bundle> bundle, const std::string &function,
                                                          std::shared_ptr<States> states = nullptr);

  const std::string &name() const { return plan->function->name; }
  const std::shared_ptr<Bundle> &owner() const { return bundle; }
  const std::vector<Port> &inputs() const { return ports.inputs(); }
  const std::vector<Port> &outputs() const { return ports.outputs(); }

  /// Copies a value in. InvalidArgument if `bytes` is not the input's size.
  absl::Status setInput(size_t index, const void *data, int64_t bytes) { return ports.setInput(index, data, bytes); }
  /// Where to write the value directly; counts as set.
  absl::StatusOr<void *> inputData(size_t index) { return ports.inputData(index); }

  /// Makes runs read an input from, or write an output to, the caller's memory:
  /// 64-byte aligned, of the port's size; it must outlive the binding. Null
  /// ends it. FailedPrecondition when other ports show the same value. An output
  /// may be where an input is if CPU code computes the function in one step that
  /// reads element i before it writes element i; runs refuse other overlaps.
  /// Constant memory changes only when the input is bound anew, be it to the same.
  absl::Status bindInput(size_t index, const void *data, int64_t bytes, bool isConstant = false) {
    return ports.bindInput(index, data, bytes, isConstant);
  }
  absl::Status bindOutput(size_t index, void *data, int64_t bytes) { return ports.bindOutput(index, data, bytes); }

  /// Gives a weight of the model another value, row-major in the model's type,
  /// for this executor: runs compute what a bundle of the model with that value
  /// would. NotFound, or what SessionWeights::set() says; nothing has changed then. After any other error CPU code may
  /// have the new value and programs the old one: set it again. `stays`: the memory and what it holds, until runs are
  /// over or the weight is set again.
  absl::Status setWeight(const std::string &name, const void *data, int64_t bytes, bool stays = false) {
    return runs.setWeight(name, data, bytes, stays);
  }
  /// For an executor that has set no weights: gives it those that `from`, of the same bundle, has set. After an error
  /// it may have some of them.
  absl::Status copyWeights(const Executor &from) { return runs.copyWeights(from.runs); }

  /// Asked when all steps have run and states are to change; an error ends the
  /// run as one of a step does.
  using Accept = std::function<absl::Status()>;
  /// FailedPrecondition, naming it, when an input was never set. Outputs are
  /// undefined after an error, and states as they were.
  absl::Status run(const Accept &accept = nullptr);
  /// The states that runs change.
  std::vector<size_t> statesChanged() const;
  /// Within Accept: what such a state is to be, dense.
  const void *nextState(size_t state) const;
  /// Later runs write only the first `count` of the entries that the function has
  /// for a state which it updates.
  void writeFirst(size_t state, int64_t count) { runs.writeFirst(state, count); }

  /// Values between runs; what a run reads next.
  States &states() { return *stateMemory; }
  const States &states() const { return *stateMemory; }
  absl::Status resetStates() { return stateMemory->reset(*bundle); }
  /// A new session of the same function with copies of these states, and with these
  /// weights; its inputs are not set.
  absl::StatusOr<std::unique_ptr<Executor>> fork() const;
  /// Another function on these states, with copies of these weights. Of all that
  /// share states, one may run at a time.
  absl::StatusOr<std::unique_ptr<Executor>> share(const std::string &function) const;

  /// From any thread: runs end before their next step, with Cancelled, until
  /// that is taken back.
  void cancel(bool wanted = true) { *runs.cancelled = wanted; }
  /// The same through a flag that several executors share.
  const std::shared_ptr<std::atomic<bool>> &cancelFlag() const { return runs.cancelled; }
  void useCancelFlag(std::shared_ptr<std::atomic<bool>> flag) { runs.cancelled = std::move(flag); }

  const std::vector<Event> &events() const { return runs.record().events(); }
  const std::vector<StepProfile> &profile() const { return runs.record().profile(); }
  /// Steps of later runs are added there, until there are very many; null: nowhere.
  void traceTo(std::vector<Span> *trace) { runs.record().traceTo(trace); }
  /// Of runs that succeeded.
  const Copies &copies() const { return runs.record().copies(); }

private:
  Executor(std::shared_ptr<Bundle> bundle, std::shared_ptr<const Plan> plan, std::shared_ptr<States> states,
           Values values, MemoryBudget budget);

  const std::shared_ptr<Bundle> bundle;
  const std::shared_ptr<const Plan> plan;
  const std::shared_ptr<States> stateMemory;
  MemoryBudget budget;
  Values values;
  Ports ports;
  Run runs;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_EXECUTOR_H
