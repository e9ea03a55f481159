//===- session_programs.h - The programs that a session runs ----*- C++ -*-===//
#ifndef ANE_RUNTIME_CORE_SESSION_PROGRAMS_H
#define ANE_RUNTIME_CORE_SESSION_PROGRAMS_H

#include "runtime/core/session_weights.h"
#include "runtime/core/trouble.h"

namespace ane::rt {

/// The programs of a session's steps, their surfaces and requests. Sessions share programs, but those whose weights
/// they have set.
class SessionPrograms {
public:
  /// All of these outlive it.
  SessionPrograms(Bundle &bundle, const Plan &plan, Values &values, MemoryBudget &budget);

  /// Loads what Plan::programs lists: side by side, since a compilation takes a second, unless that would decide by
  /// chance which of them there is room for. How that went for each.
  std::vector<absl::Status> load();
  /// Gives a step its program, which was loaded, and makes its surfaces.
  absl::Status prepare(const PlannedStep &step, const ProgramStep &work);
  /// Makes the request for the surfaces that it has now, for later evaluations.
  absl::Status bind(const ProgramStep &work);
  /// The step does without its program from now on.
  void leave(const ProgramStep &work) { entries[work.slot] = Entry(); }
  bool has(const ProgramStep &work) const { return entries[work.slot].program != nullptr; }

  const std::vector<Argument> &inputs(const ProgramStep &work) const { return entries[work.slot].inputs; }
  const std::vector<Argument> &outputs(const ProgramStep &work) const { return entries[work.slot].outputs; }

  // In this order: a refusal of the device leaves values as they were.
  absl::Status bringInputs(const ProgramStep &work);
  absl::StatusOr<Evaluation> evaluate(const ProgramStep &work);
  absl::Status wroteOutputs(const ProgramStep &work);

  /// Gives each step whose program reads a changed weight a program of the session's own. It is made from the old one
  /// at the next run. Returns the bytes that changed for programs. After an error no step has another program.
  absl::StatusOr<int64_t> replaceReaders(const std::vector<SessionWeights::Change> &changes,
                                         const std::shared_ptr<const Folder> &files);

private:
  struct Entry {
    const manifest::Program *record = nullptr;
    std::shared_ptr<CachedProgram> program = {}; ///< null: the step runs on the CPU
    bool isOwn = false;                          ///< it is of weights that were set here
    std::vector<Argument> inputs = {}, outputs = {};
    CachedProgram::Call call = CachedProgram::Call();
  };
  absl::StatusOr<std::vector<Argument>> arguments(const std::vector<manifest::Surface> &surfaces,
                                                  const std::vector<size_t> &of);
  absl::Status clamp(const Argument &argument);
  /// The surfaces of an entry as they are now, in `room`.
  std::pair<absl::Span<Surface *const>, absl::Span<Surface *const>> surfaces(const Entry &entry);

  Bundle &bundle;
  const Plan &plan;
  Values &values;
  MemoryBudget &budget;
  std::vector<Entry> entries;  ///< by ProgramStep::slot
  std::vector<Surface *> room; ///< for those of an evaluation
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_SESSION_PROGRAMS_H
