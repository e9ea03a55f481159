//===- run_profile.h - What a run has cost, and where -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_RUN_PROFILE_H
#define ANE_RUNTIME_TOOLS_RUN_PROFILE_H

#include "runtime/core/executor.h"
#include "runtime/device/energy.h"
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace ane::rt::tools {

/// A part of what ane-run does, such as loading.
struct Phase {
  std::string name;
  int64_t startNs = 0, ns = 0;
  Energy energy = {}; ///< of the whole machine meanwhile; empty: it does not tell
};

/// Phases, one behind the other.
class Phases {
public:
  /// Null: the machine does not tell what it uses up.
  explicit Phases(std::unique_ptr<EnergyMeter> meter);
  /// Ends the one that began with the end of the one before.
  void end(const char *name);
  const std::vector<Phase> &all() const { return list; }

private:
  std::unique_ptr<EnergyMeter> meter;
  int64_t startNs;
  std::vector<Phase> list;
};

/// "ok", "refused" (its CPU code runs instead), "rescued" (in some runs) or "retried".
std::string statusOf(const StepProfile &step, const Executor &executor);

/// Tables for people.
void printSteps(const Executor &executor, std::ostream &out);
void printPhases(const std::vector<Phase> &phases, std::ostream &out);
nlohmann::ordered_json profileJson(const Executor &executor);
nlohmann::ordered_json copiesJson(const Executor &executor);
nlohmann::ordered_json phasesJson(const std::vector<Phase> &phases);

/// What Perfetto and chrome://tracing show: phases, steps and evaluations by time. The file appears only when it is
/// complete.
absl::Status writeTrace(const std::string &path, const std::vector<Phase> &phases, const std::vector<Span> &spans);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_RUN_PROFILE_H
