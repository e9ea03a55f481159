//===- train_report.h - What ane-train prints and logs -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TRAIN_TRAIN_REPORT_H
#define ANE_RUNTIME_TOOLS_TRAIN_TRAIN_REPORT_H

#include "absl/status/statusor.h"
#include "runtime/train/plan.h"
#include "runtime/train/trainer.h"
#include <fstream>
#include <ostream>
#include <string>

namespace ane::rt::tools {

/// A step and what it cost.
struct TrainedStep {
  train::StepReport report;
  int64_t examples = 0, tokens = 0; ///< no tokens: not of a language model
  double seconds = 0;
};

/// All that a run has found out.
struct TrainSummary {
  std::string device, weightsBy; ///< Trainer::weightsBy()
  int64_t first = 0, steps = 0;  ///< of this process: the number of the first one, and how many
  int64_t skipped = 0;
  double loss = 0; ///< of the last step
  std::optional<double> evaluationLoss;
  int64_t examples = 0, tokens = 0;
  double seconds = 0;
  train::DeviceWork work;
  std::string checkpoint, exported; ///< empty: none
};

/// Lines on a stream: on a terminal one that is written over, with a bar and the time that is left, else one now and
/// then.
class TrainProgress {
public:
  /// `steps`: of the whole run.
  TrainProgress(std::ostream &out, bool isTerminal, int64_t steps) : out(out), isTerminal(isTerminal), steps(steps) {}
  ~TrainProgress() { end(); }

  void show(const TrainedStep &step);
  /// A line of its own.
  void say(const std::string &text);
  void end();

private:
  std::ostream &out;
  bool isTerminal;
  int64_t steps;
  size_t shown = 0; ///< characters of the line that is written over
  int64_t nextNs = 0;
  int64_t first = 0, firstNs = 0; ///< the first step of this process, and when it began
};

/// JSON lines. A line is whole or absent when it has been written.
class TrainLog {
public:
  /// Appends to a file; empty: nothing is logged.
  static absl::StatusOr<TrainLog> open(const std::string &path);
  absl::Status resumed(int64_t step);
  absl::Status event(int64_t step, const std::string &text);
  absl::Status step(const TrainedStep &step);
  absl::Status evaluation(int64_t step, double loss);

private:
  absl::Status write(const std::string &line);

  std::string path;
  std::ofstream file;
};

/// What is trained: a line for each parameter.
std::string parametersText(const train::Parameters &parameters);

/// What --dry-run prints.
void printPlan(const train::TrainingPlan &plan, const std::string &device, bool json, std::ostream &out);
/// What a run prints at its end: one JSON object, or lines.
void printSummary(const TrainSummary &summary, bool json, std::ostream &out);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TRAIN_TRAIN_REPORT_H
