//===- run_report.cpp - What ane-run prints -------------------------------===//
#include "runtime/tools/run_report.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/core/devices.h"
#include "runtime/tools/table.h"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace ane::rt::tools {
namespace {

struct Times {
  double min, median;
};

Times summarizeTimes(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  size_t half = times.size() / 2;
  double median = times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
  return {times.front(), median};
}

std::string number(double value) { return absl::StrFormat("%.6g", value); }

/// JSON has no NaN and no infinity.
Json finite(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

void printObject(const Json &json, std::ostream &out) {
  // Names come from models and need not be UTF-8.
  out << json.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
}

} // namespace

void printMessage(const char *severity, absl::string_view message, bool json, std::ostream &err, const char *tool) {
  if (json)
    err << Json{{"severity", severity}, {"message", std::string(message)}}.dump(-1, ' ', false,
                                                                                Json::error_handler_t::replace)
        << "\n";
  else
    err << tool << ": " << severity << ": " << message << "\n";
}

void printNoteOfChips(const RunOptions &options, const Bundle &bundle, std::ostream &err) {
  if (const std::string note = noteOfChips(options.device, bundle.manifest().target.chip); !note.empty())
    printMessage("note", absl::StrCat(options.bundle, ": ", note), options.json, err);
}

std::string eventText(const Event &event, const RunOptions &options) {
  bool numeric = event.phase == "numeric";
  if (numeric && options.numeric != NumericPolicy::Rescue)
    return absl::StrCat("fp16 on the ", event.device, " did not hold the values of program ", event.program, ": ",
                        event.reason);
  if (event.phase == "weights" || event.phase == "evaluation")
    return absl::StrCat("program ", event.program, " runs on the ", event.device, " otherwise than asked (",
                        event.phase, "): ", event.reason);
  return absl::StrCat(
      "program ", event.program,
      numeric ? " was computed on its CPU twin, since fp16 on the " : " ran on its CPU twin, since the ", event.device,
      numeric ? " does not hold its values" : absl::StrCat(" refused it (", event.phase, ")"), ": ", event.reason);
}

void printText(const RunOptions &options, const RunResult &result, std::ostream &out) {
  const Executor &executor = *result.executor;
  std::string host = executor.owner()->hostName();
  out << "ran " << executor.name() << " on " << result.device << ", " << executor.owner()->pool().threads()
      << " threads" << (host.empty() ? "" : ", CPU code for ") << host << "\n";
  out << "outputs\n";
  Table outputs;
  outputs.row({"name", "type", "min", "mean", "max", "file"});
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const Port &port = result.outputs[i];
    Summary s = summarize(elementsOf(port));
    outputs.row({port.name, manifest::typeText(port.type), number(s.min), number(s.mean), number(s.max),
                 result.files.empty() ? "-" : result.files[i]});
  }
  outputs.print(out);
  Times times = summarizeTimes(result.timesMs);
  if (options.repeat > 1)
    out << absl::StrFormat("time: min %.3f ms, median %.3f ms of %d runs\n", times.min, times.median,
                           result.timesMs.size());
  else
    out << absl::StrFormat("time: %.3f ms\n", times.min);
  if (!result.compareDevice.empty()) {
    out << "against " << result.compareDevice << "\n";
    Table table;
    table.row({"name", "max abs", "rms", "cosine", "max abs / max |reference|", "NaN on one side"});
    for (size_t i = 0; i < result.differences.size(); ++i) {
      const Difference &d = result.differences[i];
      table.row({result.outputs[i].name, number(d.maxAbs), number(d.rms), absl::StrFormat("%.8f", d.cosine),
                 d.maxReference == 0 ? "-" : number(d.maxAbs / d.maxReference), absl::StrCat(d.oneNaN)});
    }
    table.print(out);
  }
  if (options.profile && !executor.profile().empty()) {
    printSteps(executor, out);
    printPhases(result.phases, out);
  }
}

void printJson(const RunOptions &options, const RunResult &result, std::ostream &out) {
  const Executor &executor = *result.executor;
  Times times = summarizeTimes(result.timesMs);
  Json json = {{"bundle", options.bundle},
               {"function", executor.name()},
               {"device", result.device},
               {"threads", executor.owner()->pool().threads()},
               {"host", executor.owner()->hostName()},
               {"time_ms", {{"min", times.min}, {"median", times.median}, {"runs", result.timesMs.size()}}}};
  Json outputs = Json::array();
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    const Port &port = result.outputs[i];
    Summary s = summarize(elementsOf(port));
    Json entry = {{"name", port.name},        {"dtype", std::string(numpyName(port.type.dtype))},
                  {"shape", port.type.shape}, {"min", finite(s.min)},
                  {"mean", finite(s.mean)},   {"max", finite(s.max)}};
    if (!result.files.empty())
      entry["file"] = result.files[i];
    outputs.push_back(std::move(entry));
  }
  json["outputs"] = std::move(outputs);
  json["events"] = Json::array();
  for (const Event &event : executor.events())
    json["events"].push_back({{"program", event.program},
                              {"device", event.device},
                              {"phase", event.phase},
                              {"reason", event.reason},
                              {"runs", event.runs}});
  if (!result.compareDevice.empty()) {
    Json list = Json::array();
    for (size_t i = 0; i < result.differences.size(); ++i) {
      const Difference &d = result.differences[i];
      list.push_back({{"name", result.outputs[i].name},
                      {"max_abs", finite(d.maxAbs)},
                      {"rms", finite(d.rms)},
                      {"cosine", finite(d.cosine)},
                      {"max_reference", finite(d.maxReference)},
                      {"nan_on_one_side", d.oneNaN}});
    }
    json["compare"] = {{"device", result.compareDevice}, {"outputs", std::move(list)}};
  }
  if (options.profile) {
    json["profile"] = profileJson(executor);
    json["phases"] = phasesJson(result.phases);
    json["copies"] = copiesJson(executor);
  }
  printObject(json, out);
}

void printMilText(const RunOptions &options, std::ostream &out) {
  out << "ran " << options.mil << " on emulator";
  if (!options.outputDir.empty())
    out << ", outputs are in " << options.outputDir;
  out << "\n";
}

void printMilJson(const RunOptions &options, std::ostream &out) {
  printObject({{"program", options.mil}, {"device", "emulator"}, {"output_dir", options.outputDir}}, out);
}

} // namespace ane::rt::tools
