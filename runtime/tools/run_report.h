//===- run_report.h - What ane-run prints -----------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_RUN_REPORT_H
#define ANE_RUNTIME_TOOLS_RUN_REPORT_H

#include "runtime/tools/run_options.h"
#include "runtime/tools/run_outputs.h"
#include "runtime/tools/run_profile.h"
#include <ostream>

namespace ane::rt::tools {

/// All that a run has found out.
struct RunResult {
  std::string device;
  const Executor *executor = nullptr; ///< that ran
  std::vector<Port> outputs;
  std::vector<double> timesMs; ///< of the timed runs, at least one
  std::vector<Phase> phases;
  std::vector<Span> spans;        ///< with --trace
  std::vector<std::string> files; ///< written, one an output, or empty
  /// With --compare-device: one an output.
  std::string compareDevice;
  std::vector<Difference> differences;
};

/// A note or an error: "ane-run: error: MESSAGE", or a JSON object on a line.
void printMessage(const char *severity, absl::string_view message, bool json, std::ostream &err,
                  const char *tool = "ane-run");

/// Notes what is to be said of a bundle on the device: noteOfChips().
void printNoteOfChips(const RunOptions &options, const Bundle &bundle, std::ostream &err);

/// What a note says of a program that did not run where it was meant to.
std::string eventText(const Event &event, const RunOptions &options);

/// For people: outputs, times, errors, profile as the options ask.
void printText(const RunOptions &options, const RunResult &result, std::ostream &out);

/// One JSON object with the same content.
void printJson(const RunOptions &options, const RunResult &result, std::ostream &out);

/// The same for a MIL program, whose results are its files.
void printMilText(const RunOptions &options, std::ostream &out);
void printMilJson(const RunOptions &options, std::ostream &out);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_RUN_REPORT_H
