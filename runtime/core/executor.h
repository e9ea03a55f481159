//===- executor.h - Runs a function of a bundle -----------------*- C++ -*-===//
//
// Everything is set up when the executor is made: buffers for the plan's values
// (those whose lives do not overlap share memory), surfaces, arguments of every
// step. run() itself allocates nothing; a device may, as the emulator's kernels
// do. An executor is for one thread at a time; a bundle may have many.
//
// Its files: executor.cpp runs the steps; executor_prepare.cpp makes them;
// executor_ports.cpp has inputs, outputs and the places of states;
// executor_weights.cpp weights that were set; executor_numeric.cpp what
// becomes of values that fp16 does not hold. Where values are is values.h.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_EXECUTOR_H
#define ANE_RUNTIME_CORE_EXECUTOR_H

#include "runtime/core/bundle.h"
#include "runtime/core/session_weights.h"
#include "runtime/core/states.h"
#include "runtime/core/values.h"
#include "runtime/core/window_update.h"
#include "runtime/support/memory_plan.h"
#include <atomic>
#include <functional>
#include <optional>

namespace ane::rt {

/// An input or output of the function, dense row-major in the model's type.
struct Port {
  std::string name;
  manifest::TensorType type;
  /// 64-byte aligned; the executor's own, or what the port is bound to.
  void *data = nullptr;
  int64_t bytes = 0;
  void *own = nullptr; ///< the executor's buffer
  const manifest::Port *place = nullptr;
  bool set = false;    ///< inputs: has been given a value
  bool isOpen = false; ///< inputs: the memory's owner may write there at any time
  /// Inputs: what it is bound to changes only when it is bound anew.
  bool isConstant = false;
};

/// A program that did not run where it was meant to, or did not get its weights as it should.
struct Event {
  std::string program;
  std::string device; ///< that refused it
  std::string phase;  ///< "load", "run", "numeric" (for single runs); "weights", "evaluation" (it runs there)
  std::string reason;
  int64_t runs = 1;       ///< "numeric": of which this was so, in others with other numbers
  std::string cause = {}; ///< "numeric": what is alike of these
  int64_t lastRun = 0;    ///< the number of the last of these
};

/// What a step has cost so far.
struct StepProfile {
  std::string name;   ///< of the host function, program or state; manifest::nameOf() of a procedure
  std::string kind;   ///< "host", "program", "twin" for a refused program, or "update" of a state
  std::string device; ///< where it ran last
  int64_t runs = 0;
  int64_t rescuedRuns = 0; ///< of them, those that the CPU computed because of their values
  int64_t lastNs = 0, totalNs = 0;
  /// Of that: moving values into and out of surfaces, and looking at them.
  int64_t lastLayoutNs = 0, totalLayoutNs = 0;
  /// What the device did for it, in all runs.
  int64_t evaluations = 0, evaluationNs = 0;
  int64_t retries = 0;                     ///< evaluations that the device refused first
  int64_t inputBytes = 0, outputBytes = 0; ///< of surfaces
  int64_t weightBytes = 0;                 ///< of the files that the program reads
  std::optional<int64_t> energyNj = 0;     ///< nothing: the device does not tell

  void add(const Evaluation &cost);
};

/// When a step ran, by nowNs().
struct Span {
  std::string name, kind, device; ///< as of StepProfile
  int64_t startNs = 0, ns = 0, layoutNs = 0;
  Evaluation evaluation = {}; ///< the last of the step; `ns` is 0 if there was none
};

/// Bytes that the executor copied beside what steps compute: between the plan's
/// values and surfaces, and into states.
struct Copies {
  int64_t runs = 0;
  int64_t lastSurfaceBytes = 0, totalSurfaceBytes = 0;
  int64_t lastStateBytes = 0, totalStateBytes = 0;
  /// Not copied, but read once more, for numbers that fp16 does not hold.
  int64_t lastScannedBytes = 0, totalScannedBytes = 0;
  /// Written into weight files of programs, for weights that were set and have changed.
  int64_t totalWeightBytes = 0;
  int64_t totalClamped = 0; ///< elements (NumericPolicy::Clamp)
};

class Executor {
public:
  /// Loads what the function needs. Programs that the device refuses go to
  /// their CPU twin, see events().
  /// `states`: those of a session of the bundle; null: states of its own.
  static absl::StatusOr<std::unique_ptr<Executor>> create(std::shared_ptr<Bundle> bundle, const std::string &function,
                                                          std::shared_ptr<States> states = nullptr);

  const std::string &name() const { return function->name; }
  const std::shared_ptr<Bundle> &owner() const { return bundle; }
  const std::vector<Port> &inputs() const { return inputPorts; }
  const std::vector<Port> &outputs() const { return outputPorts; }

  /// Copies a value in. InvalidArgument if `bytes` is not the input's size.
  absl::Status setInput(size_t index, const void *data, int64_t bytes);
  /// Where to write the value directly; counts as set.
  absl::StatusOr<void *> inputData(size_t index);

  /// Makes runs read an input from, or write an output to, the caller's memory:
  /// 64-byte aligned, of the port's size; it must outlive the binding. Null
  /// ends it. FailedPrecondition when other ports show the same value. An output
  /// may be where an input is if CPU code computes the function in one step that
  /// reads element i before it writes element i; runs refuse other overlaps.
  /// Constant memory changes only when the input is bound anew, be it to the same.
  absl::Status bindInput(size_t index, const void *data, int64_t bytes, bool isConstant = false);
  absl::Status bindOutput(size_t index, void *data, int64_t bytes);

  /// Gives a weight of the model another value, row-major in the model's type,
  /// for this executor: runs compute what a bundle of the model with that value
  /// would. NotFound, or what SessionWeights::set() says; nothing has changed then.
  /// `stays`: the memory and what it holds, until runs are over or the weight is set again.
  absl::Status setWeight(const std::string &name, const void *data, int64_t bytes, bool stays = false);
  /// Takes the weights of an executor of the same bundle.
  absl::Status copyWeights(const Executor &from);

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
  void writeFirst(size_t state, int64_t count);

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
  void cancel(bool wanted = true) { *cancelled = wanted; }
  /// The same through a flag that several executors share.
  const std::shared_ptr<std::atomic<bool>> &cancelFlag() const { return cancelled; }
  void useCancelFlag(std::shared_ptr<std::atomic<bool>> flag) { cancelled = std::move(flag); }

  const std::vector<Event> &events() const { return eventList; }
  const std::vector<StepProfile> &profile() const { return profiles; }
  /// Steps of later runs are added there; null: nowhere.
  void traceTo(std::vector<Span> *trace) { spans = trace; }
  /// Of runs that succeeded.
  const Copies &copies() const { return copied; }

private:
  /// What the function does to a state.
  struct StateSlot {
    enum class Change : uint8_t {
      None,
      Swapped, ///< steps write the next value in its place
      Copied,  ///< there, at the end of a run: the tensor is an input, an output or another state's value, too
      Updated  ///< a step changes a part of the value
    };
    size_t state;
    int64_t read, write; ///< tensors, see manifest::StateUse
    Change change;
  };
  /// Of a program.
  struct Argument {
    Value *value;
    SurfaceForm *form;
    const manifest::Surface *port;
  };
  struct Step {
    std::vector<Value *> inputs, outputs;
    ane_host_fn code = nullptr;
    std::vector<void *> args; ///< room for those of `code`
    const manifest::Program *program = nullptr;
    size_t procedure = 0;                  ///< of `program`
    std::shared_ptr<CachedProgram> loaded; ///< null: runs on the CPU
    bool ownsLoaded = false;               ///< it is of weights that were set here
    CachedProgram::Call call;
    std::vector<Argument> surfaceInputs, surfaceOutputs;
    std::vector<Surface *> inputSurfaces, outputSurfaces; ///< room for those of an evaluation
    std::optional<WindowUpdate> update;
    size_t state = 0; ///< of `update`

    /// Fills that room.
    void findSurfaces();
    const manifest::Procedure &evaluated() const { return program->procedures[procedure]; }
    /// Of a program's step, in messages.
    std::string label() const { return manifest::nameOf(*program, evaluated()); }
  };

  /// What of this run's values keeps a program from computing what the model says.
  struct Trouble {
    std::string cause; ///< see Event; empty: nothing does
    std::string text;
  };

  explicit Executor(std::shared_ptr<Bundle> bundle) : bundle(std::move(bundle)), budget(this->bundle->memoryLimit()) {}
  absl::Status allocateValues();
  absl::Status prepareStep(const manifest::Step &plan);
  absl::Status loadPrograms();
  absl::Status prepareProgram(Step &step);
  /// The CPU reads the inputs of that step.
  static void noteReads(const Step &step);
  absl::Status prepareCode(const manifest::HostFunction &function, Step &step);
  absl::Status reserveArena(int64_t bytes);
  absl::Status prepareTwin(Step &step, size_t index, const char *phase, const absl::Status &reason);
  absl::Status prepareUpdate(const manifest::Step &plan, Step &step);
  absl::Status makeRequests();
  absl::Status bindSurfaces();
  void swapStates();

  class Written;
  absl::Status runSteps(Written &written);
  absl::Status runStep(size_t index);
  absl::Status runLoaded(Step &step, size_t index);
  absl::Status runUpdate(Step &step);
  absl::Status runProgram(Step &step, StepProfile &profile);
  static Trouble troubleOf(const Argument &input, const Extent &extent);
  absl::StatusOr<Trouble> inputTrouble(const Step &step);
  absl::StatusOr<Trouble> outputTrouble(const Step &step);
  /// `atBorder`: of those that are there.
  absl::StatusOr<bool> areFinite(absl::Span<const Argument> surfaces, bool atBorder);
  absl::StatusOr<bool> rescue(Step &step, StepProfile &profile, const Trouble &trouble);
  void note(Event event);
  void noteOnce(Event event);
  absl::Status runCode(Step &step);
  absl::Status takeWeights(absl::StatusOr<std::unique_ptr<SessionWeights>> made);
  absl::Status replaceReaders(const std::vector<SessionWeights::Change> &changes);

  absl::Status checkInput(size_t index) const;
  absl::Status checkResults() const;
  absl::Status bind(Port &port, const manifest::Port &place, void *data, int64_t bytes);
  absl::Status checkOverlaps();
  void listStates();
  /// Steps find inputs and states as they are now.
  void noteInputs();
  void advanceStates();

  std::shared_ptr<Bundle> bundle;
  std::unique_ptr<SessionWeights> weights; ///< once one is set
  std::set<std::string> codeNames;         ///< CPU functions that run
  const manifest::Function *function = nullptr;
  std::vector<Port> inputPorts, outputPorts;
  struct Bound {
    const Port *port;
    bool isInput;
  };
  std::vector<Bound> bound; ///< room for checkOverlaps()
  bool wasBound = false;    ///< since then
  MemoryBudget budget;
  std::shared_ptr<States> stateMemory;
  /// What loadPrograms() has loaded, and how that went.
  std::unordered_map<const manifest::Program *, std::pair<std::shared_ptr<CachedProgram>, absl::Status>> ahead;
  std::vector<StateSlot> stateSlots;
  std::vector<size_t> changedStates;
  AlignedBuffer memory, arena;
  Values values;
  std::vector<Step> steps;
  std::vector<Event> eventList;
  std::vector<StepProfile> profiles;
  std::vector<Span> *spans = nullptr;
  Evaluation lastEvaluation; ///< of the step that runs, for `spans`
  Copies copied;
  int64_t runNumber = 0;
  /// Whether runs look at what goes from program to program, to find where it ceases to be finite. From the first run
  /// on in which something came out that was not.
  bool looksInside = false;
  std::shared_ptr<std::atomic<bool>> cancelled = std::make_shared<std::atomic<bool>>(false);
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_EXECUTOR_H
