//===- run_record.h - What the runs of a session have cost ------*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_RUN_RECORD_H
#define ANE_RUNTIME_CORE_RUN_RECORD_H

#include "runtime/core/values.h"
#include "runtime/device/refusal.h"
#include <optional>

namespace ane::rt {

/// A program that did not run where it was meant to, or did not get its weights as it should.
struct Event {
  std::string program;
  std::string device; ///< that refused it
  std::string phase;  ///< "load", "run", "numeric" (for single runs); "weights", "evaluation" (it runs there)
  std::string reason;
  int64_t runs = 1;       ///< "numeric": of which this was so, in others with other numbers
  std::string cause = {}; ///< "numeric": what is alike of these
  int64_t lastRun = 0;    ///< the number of the last of these
  /// "load" and "run": refusalOf() and codeOf() the device's status.
  Refusal refusal = Refusal::None;
  std::string code = {};
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

/// Bytes that runs copied beside what steps compute: between the plan's
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

/// What the runs of a session have cost, and what went wrong in them.
class RunRecord {
public:
  /// The values' traffic is what counts as copied.
  RunRecord(const Plan &plan, const Bundle &bundle, const Values &values);

  const std::vector<Event> &events() const { return eventList; }
  const std::vector<StepProfile> &profile() const { return profiles; }
  const Copies &copies() const { return copied; }
  /// Steps of later runs are added there, until there are very many; null: nowhere.
  void traceTo(std::vector<Span> *trace) { spans = trace; }

  void beginRun();
  /// Copies count where it succeeded.
  void endRun(bool hasSucceeded);
  void beginStep();
  void endStep(size_t index);

  StepProfile &step(size_t index) { return profiles[index]; }
  /// Of the step that runs.
  void addEvaluation(size_t index, const Evaluation &cost);
  void addStateBytes(int64_t bytes) { copied.lastStateBytes += bytes; }
  void addWeightBytes(int64_t bytes) { copied.totalWeightBytes += bytes; }
  void note(Event event);
  /// The same, but once for all runs in which it is so.
  void noteOnce(Event event);

private:
  const Values &values;
  Log &log;
  std::vector<Event> eventList;
  std::vector<StepProfile> profiles;
  std::vector<Span> *spans = nullptr;
  Copies copied;
  int64_t runNumber = 0;
  Traffic before;            ///< the run
  int64_t start = 0;         ///< of the step
  int64_t movedBefore = 0;   ///< Traffic::ns then
  Evaluation lastEvaluation; ///< of the step, for `spans`
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_RUN_RECORD_H
