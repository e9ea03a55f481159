//===- ane_run.cpp - ane-run ----------------------------------------------===//
#include "runtime/tools/ane_run.h"
#include "absl/strings/str_cat.h"
#include "ane/runtime/ane.h"
#include "runtime/core/devices.h"
#include "runtime/core/emulator.h"
#include "runtime/core/state_file.h"
#include "runtime/tools/interrupts.h"
#include "runtime/tools/machine_probe.h"
#include "runtime/tools/restart.h"
#include "runtime/tools/run_inputs.h"
#include "runtime/tools/run_options.h"
#include "runtime/tools/run_report.h"
#include "runtime/tools/talk.h"
#include "runtime/tools/tool_process.h"
#include <chrono>
#include <csignal>
#include <new>

namespace ane::rt::tools {
namespace {

absl::StatusOr<std::unique_ptr<RunSession>> makeSession(const RunOptions &options, const std::string &device) {
  auto bundle = openBundle(options, device);
  auto session = bundle.ok() ? RunSession::create(*bundle, options.function) : bundle.status();
  if (bundle.ok() && options.atCompileLimit == "restart")
    restartIfCompiledOut((*bundle)->deviceName(), (*bundle)->context().cache());
  if (session.ok() && !options.adapter.empty())
    if (absl::Status s = (*session)->setAdapter(options.adapter); !s.ok())
      return s;
  return session;
}

/// The values that every run begins with.
absl::Status setStates(Executor &executor, const RunOptions &options) {
  if (executor.states().all().empty() && options.restoreStates.empty())
    return absl::OkStatus();
  return options.restoreStates.empty() ? executor.resetStates()
                                       : restoreStates(executor.states(), options.restoreStates);
}

absl::Status timeRuns(RunSession &session, const RunOptions &options, Phases &phases, RunResult &result) {
  if (!options.trace.empty())
    session.traceTo(&result.spans);
  // The first run touches all memory and wakes the threads for the first time.
  if (options.repeat > 1) {
    if (absl::Status s = session.run(); !s.ok())
      return s;
    phases.end("first run");
  }
  for (int64_t i = 0; i < options.repeat; ++i) {
    if (absl::Status s = setStates(session.running(), options); !s.ok())
      return s;
    auto start = std::chrono::steady_clock::now();
    if (absl::Status s = session.run(); !s.ok())
      return s;
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    result.timesMs.push_back(time.count());
  }
  phases.end(options.repeat > 1 ? "runs" : "run");
  return absl::OkStatus();
}

/// Runs on another device with the same inputs.
absl::Status compareDevices(const RunOptions &options, RunResult &result) {
  auto other = makeSession(options, options.compareDevice);
  if (!other.ok())
    return other.status();
  result.compareDevice = (*other)->running().owner()->deviceName();
  if (absl::Status s = setInputs(**other, options); !s.ok())
    return s;
  if (absl::Status s = setStates((*other)->running(), options); !s.ok())
    return s;
  if (absl::Status s = (*other)->run(); !s.ok())
    return s;
  std::vector<Port> outputs = (*other)->outputs();
  for (size_t i = 0; i < outputs.size(); ++i)
    result.differences.push_back(compare(elementsOf(result.outputs[i]), elementsOf(outputs[i])));
  return absl::OkStatus();
}

absl::Status runBundle(const RunOptions &options, std::ostream &out, std::ostream &err) {
  Phases phases(options.profile || !options.trace.empty() ? energyMeter(options.device) : nullptr);
  auto session = makeSession(options, options.device);
  if (!session.ok())
    return session.status();
  phases.end("load");
  printNoteOfChips(options, *(*session)->running().owner(), err);
  if (absl::Status s = setInputs(**session, options); !s.ok())
    return s;
  phases.end("inputs");
  RunResult result;
  if (absl::Status s = timeRuns(**session, options, phases, result); !s.ok())
    return s;
  result.phases = phases.all();
  const Executor &executor = (*session)->running();
  result.executor = &executor;
  result.device = executor.owner()->deviceName();
  result.outputs = (*session)->outputs();
  for (const Event &event : executor.events())
    printMessage("note", eventText(event, options), options.json, err);
  if (!options.compareDevice.empty())
    if (absl::Status s = compareDevices(options, result); !s.ok())
      return s;
  if (!options.outputDir.empty()) {
    auto files = writeOutputs(result.outputs, options.outputDir);
    if (!files.ok())
      return files.status();
    result.files = std::move(*files);
  }
  if (!options.saveStates.empty())
    if (absl::Status s = saveStates(executor.states(), options.saveStates); !s.ok())
      return s;
  if (!options.trace.empty())
    if (absl::Status s = writeTrace(options.trace, result.phases, result.spans); !s.ok())
      return s;
  (options.json ? printJson : printText)(options, result, out);
  return absl::OkStatus();
}

absl::Status runProgram(const RunOptions &options, std::ostream &out) {
  emulator::RunMilOptions mil;
  mil.milPath = options.mil;
  mil.function = options.function;
  mil.modelDir = options.weights;
  if (!options.emulatorMode.empty())
    mil.mode = options.emulatorMode;
  mil.target = options.target;
  mil.inputs = options.inputs;
  mil.outputDir = options.outputDir;
  auto module = emulatorModule();
  if (!module.ok())
    return module.status();
  absl::Status status = (*module)->runMil(mil);
  if (status.ok())
    (options.json ? printMilJson : printMilText)(options, out);
  return status;
}

absl::Status act(const RunOptions &options, const Streams &streams) {
  if (options.help) {
    streams.out << runHelp();
    return absl::OkStatus();
  }
  if (options.version) {
    streams.out << "ane-run " << ANE_VERSION << "\n";
    return absl::OkStatus();
  }
  try {
    if (!options.probe.empty())
      return runProbe(options, streams.out);
    if (options.language.talk != Talk::None)
      return runLanguage(options, streams);
    return options.mil.empty() ? runBundle(options, streams.out, streams.err) : runProgram(options, streams.out);
  } catch (const std::bad_alloc &) {
    return absl::ResourceExhaustedError("there is not enough memory for this run");
  }
}

} // namespace

int aneRun(const std::vector<std::string> &arguments, const Streams &streams) {
  constexpr int kBadInput = 1, kBadUsage = 2, kSignalled = 128;
  bool json = asksForJson(arguments);
  auto options = parseRunOptions(arguments);
  if (!options.ok()) {
    printMessage("error", options.status().message(), json, streams.err);
    return kBadUsage;
  }
  absl::Status status = act(*options, streams);
  if (absl::IsCancelled(status))
    return kSignalled + (Interrupts::ended() != 0 ? Interrupts::ended() : SIGINT);
  if (!status.ok())
    printMessage("error", status.message(), json, streams.err);
  return status.ok() ? 0 : kBadInput;
}

int aneRunProcess(const std::vector<std::string> &arguments) {
  return onProcessStreams("ane-run", asksForJson(arguments),
                          [&](const Streams &streams) { return aneRun(arguments, streams); });
}

} // namespace ane::rt::tools
