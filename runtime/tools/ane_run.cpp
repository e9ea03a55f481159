//===- ane_run.cpp - ane-run ----------------------------------------------===//
#include "runtime/tools/ane_run.h"
#include "absl/strings/str_cat.h"
#include "ane/runtime/ane.h"
#include "runtime/device/emulator/run_mil.h"
#include "runtime/tools/run_inputs.h"
#include "runtime/tools/run_options.h"
#include "runtime/tools/run_report.h"
#include <chrono>
#include <cstring>

namespace ane::rt::tools {
namespace {

absl::StatusOr<std::unique_ptr<Executor>> makeExecutor(const RunOptions &options, const std::string &device) {
  BundleOptions bundleOptions;
  bundleOptions.device = device;
  bundleOptions.emulatorMode = options.emulatorMode;
  bundleOptions.threads = static_cast<int>(options.threads);
  bundleOptions.verifyHashes = options.verify;
  auto bundle = Bundle::open(options.bundle, bundleOptions);
  if (!bundle.ok())
    return bundle.status();
  return Executor::create(*bundle, options.function);
}

absl::Status timeRuns(Executor &executor, int64_t repeat, std::vector<double> &timesMs) {
  // The first run touches all memory and wakes the threads for the first time.
  if (repeat > 1)
    if (absl::Status s = executor.run(); !s.ok())
      return s;
  for (int64_t i = 0; i < repeat; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (absl::Status s = executor.run(); !s.ok())
      return s;
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    timesMs.push_back(time.count());
  }
  return absl::OkStatus();
}

/// Runs on another device with the same inputs.
absl::Status compareDevices(const Executor &executor, const RunOptions &options, RunResult &result) {
  auto other = makeExecutor(options, options.compareDevice);
  if (!other.ok())
    return other.status();
  result.compareDevice = (*other)->owner().deviceName();
  for (size_t i = 0; i < executor.inputs().size(); ++i) {
    const Port &port = executor.inputs()[i];
    if (absl::Status s = (*other)->setInput(i, port.data, port.bytes); !s.ok())
      return s;
  }
  if (absl::Status s = (*other)->run(); !s.ok())
    return s;
  for (size_t i = 0; i < executor.outputs().size(); ++i)
    result.differences.push_back(compare(elementsOf(executor.outputs()[i]), elementsOf((*other)->outputs()[i])));
  return absl::OkStatus();
}

absl::Status runBundle(const RunOptions &options, std::ostream &out, std::ostream &err) {
  auto executor = makeExecutor(options, options.device);
  if (!executor.ok())
    return executor.status();
  if (absl::Status s = setInputs(**executor, options); !s.ok())
    return s;
  RunResult result;
  result.executor = executor->get();
  result.device = (*executor)->owner().deviceName();
  if (absl::Status s = timeRuns(**executor, options.repeat, result.timesMs); !s.ok())
    return s;
  for (const Event &event : (*executor)->events())
    err << "ane-run: note: program " << event.program
        << (event.phase == "numeric" ? " was computed again on its CPU twin, "
                                       "since fp16 on the "
                                     : " ran on its CPU twin, since the ")
        << event.device << (event.phase == "numeric" ? " did not hold its values" : " refused it (" + event.phase + ")")
        << ": " << event.reason << "\n";
  if (!options.compareDevice.empty())
    if (absl::Status s = compareDevices(**executor, options, result); !s.ok())
      return s;
  if (!options.outputDir.empty()) {
    auto files = writeOutputs((*executor)->outputs(), options.outputDir);
    if (!files.ok())
      return files.status();
    result.files = std::move(*files);
  }
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
  absl::Status status = emulator::runMil(mil);
  if (status.ok())
    (options.json ? printMilJson : printMilText)(options, out);
  return status;
}

} // namespace

int aneRun(const std::vector<std::string> &arguments, std::ostream &out, std::ostream &err) {
  auto options = parseRunOptions(arguments);
  absl::Status status = options.status();
  if (status.ok() && options->help) {
    out << runHelp();
  } else if (status.ok() && options->version) {
    out << "ane-run " << ANE_VERSION << "\n";
  } else if (status.ok()) {
    status = options->mil.empty() ? runBundle(*options, out, err) : runProgram(*options, out);
  }
  // A full disk or a closed pipe shows only now.
  out.flush();
  if (status.ok() && !out)
    status = absl::DataLossError("cannot write to the standard output");
  if (status.ok())
    return 0;
  err << "ane-run: error: " << status.message() << "\n";
  return 1;
}

} // namespace ane::rt::tools
