//===- run_profile.cpp - What a run has cost, and where -------------------===//
#include "runtime/tools/run_profile.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/support/clock.h"
#include "runtime/support/output_file.h"
#include "runtime/tools/table.h"
#include <algorithm>
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace ane::rt::tools {
namespace {

double share(int64_t part, int64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

double micros(int64_t ns) { return static_cast<double>(ns) / 1000; }

std::string joules(int64_t nj) { return absl::StrFormat("%.2f", static_cast<double>(nj) / 1e6); }

/// Why a program does not run on its device; null: it does.
const Event *refusalOf(const StepProfile &step, const Executor &executor) {
  for (const Event &event : executor.events())
    if (step.kind == "twin" && event.program == step.name && (event.phase == "load" || event.phase == "run"))
      return &event;
  return nullptr;
}

} // namespace

Phases::Phases(std::unique_ptr<EnergyMeter> given) : meter(std::move(given)), startNs(nowNs()) {}

void Phases::end(const char *name) {
  Phase phase = {name, startNs, nowNs() - startNs};
  if (meter)
    if (auto energy = meter->read(); energy.ok())
      phase.energy = *std::move(energy);
  list.push_back(std::move(phase));
  startNs = nowNs();
}

std::string statusOf(const StepProfile &step, const Executor &executor) {
  if (refusalOf(step, executor))
    return "refused";
  return step.rescuedRuns != 0 ? "rescued" : step.retries != 0 ? "retried" : "ok";
}

void printSteps(const Executor &executor, std::ostream &out) {
  int64_t total = 0;
  for (const StepProfile &step : executor.profile())
    total += step.totalNs;
  out << "steps (mean of " << executor.profile().front().runs << " runs)\n";
  Table table;
  table.row({"step", "kind", "device", "us", "layout us", "device us", "share", "evaluations", "bytes in", "bytes out",
             "status"});
  for (const StepProfile &step : executor.profile()) {
    const int64_t runs = std::max<int64_t>(step.runs, 1), evaluations = std::max<int64_t>(step.evaluations, 1);
    auto mean = [&](int64_t ns) { return absl::StrFormat("%.1f", micros(ns) / static_cast<double>(runs)); };
    const bool ran = step.evaluations != 0;
    table.row({step.name, step.kind, step.device, mean(step.totalNs), mean(step.totalLayoutNs),
               ran ? mean(step.evaluationNs) : "-", absl::StrFormat("%.1f%%", share(step.totalNs, total)),
               absl::StrCat(step.evaluations), ran ? absl::StrCat(step.inputBytes / evaluations) : "-",
               ran ? absl::StrCat(step.outputBytes / evaluations) : "-", statusOf(step, executor)});
  }
  table.print(out);
  for (const StepProfile &step : executor.profile()) {
    if (const Event *refusal = refusalOf(step, executor))
      out << "program " << step.name << " runs on the CPU, as the " << refusal->device << " refused it ("
          << refusal->phase << "): " << refusal->reason << "\n";
    if (step.retries != 0)
      out << "the device refused " << step.retries << " of " << step.evaluations << " evaluations of program "
          << step.name << " first\n";
    if (step.rescuedRuns != 0)
      out << "the CPU computed " << step.rescuedRuns << " of " << step.runs << " runs of program " << step.name
          << ", whose values fp16 does not hold\n";
  }
  for (const Event &event : executor.events())
    if (event.phase == "numeric")
      out << "  " << event.runs << (event.runs == 1 ? " run" : " runs") << " of program " << event.program << ": "
          << event.reason << "\n";
  const Copies &copies = executor.copies();
  out << "a run copied " << copies.lastSurfaceBytes << " bytes into and out of surfaces and " << copies.lastStateBytes
      << " into states, and looked at " << copies.lastScannedBytes << " for numbers that fp16 does not hold\n";
  int64_t evaluations = 0, in = 0, written = 0, weights = 0;
  std::optional<int64_t> energy = 0;
  for (const StepProfile &step : executor.profile()) {
    evaluations += step.evaluations;
    in += step.inputBytes;
    written += step.outputBytes;
    weights += step.weightBytes;
    energy = energy && step.energyNj ? std::optional<int64_t>(*energy + *step.energyNj) : std::nullopt;
  }
  if (evaluations != 0)
    out << evaluations << " evaluations on the device read surfaces of " << in << " bytes and wrote " << written
        << ", with files of " << weights
        << " bytes; energy: " << (energy ? absl::StrCat(*energy, " nJ") : "unknown, the device does not tell") << "\n";
}

void printPhases(const std::vector<Phase> &phases, std::ostream &out) {
  Table table;
  std::vector<std::string> head = {"phase", "ms"};
  auto longest = std::max_element(phases.begin(), phases.end(),
                                  [](const Phase &a, const Phase &b) { return a.energy.size() < b.energy.size(); });
  if (longest == phases.end())
    return;
  for (const auto &[part, nj] : longest->energy)
    head.insert(head.end(), {part + " mJ", part + " W"});
  table.row(head);
  for (const Phase &phase : phases) {
    std::vector<std::string> row = {phase.name, absl::StrFormat("%.3f", micros(phase.ns) / 1000)};
    for (const auto &[part, nj] : phase.energy)
      row.insert(row.end(), {joules(nj),
                             absl::StrFormat(
                                 "%.2f", phase.ns == 0 ? 0 : static_cast<double>(nj) / static_cast<double>(phase.ns))});
    table.row(std::move(row));
  }
  out << "phases" << (longest->energy.empty() ? "" : ", with the energy and mean power of the whole machine") << "\n";
  table.print(out);
}

Json profileJson(const Executor &executor) {
  Json list = Json::array();
  for (const StepProfile &step : executor.profile()) {
    list.push_back({{"name", step.name},
                    {"kind", step.kind},
                    {"device", step.device},
                    {"status", statusOf(step, executor)},
                    {"runs", step.runs},
                    {"rescued_runs", step.rescuedRuns},
                    {"last_us", micros(step.lastNs)},
                    {"total_us", micros(step.totalNs)},
                    {"last_layout_us", micros(step.lastLayoutNs)},
                    {"total_layout_us", micros(step.totalLayoutNs)},
                    {"evaluations", step.evaluations},
                    {"evaluation_us", micros(step.evaluationNs)},
                    {"retries", step.retries},
                    {"input_bytes", step.inputBytes},
                    {"output_bytes", step.outputBytes},
                    {"weight_bytes", step.weightBytes},
                    {"energy_nj", step.energyNj ? Json(*step.energyNj) : Json("unknown")}});
    if (const Event *refusal = refusalOf(step, executor))
      list.back()["refusal"] = {{"device", refusal->device},
                                {"phase", refusal->phase},
                                {"kind", nameOf(refusal->refusal)},
                                {"code", refusal->code},
                                {"reason", refusal->reason}};
  }
  return list;
}

Json copiesJson(const Executor &executor) {
  const Copies &copies = executor.copies();
  return {{"runs", copies.runs},
          {"last_surface_bytes", copies.lastSurfaceBytes},
          {"total_surface_bytes", copies.totalSurfaceBytes},
          {"last_state_bytes", copies.lastStateBytes},
          {"total_state_bytes", copies.totalStateBytes},
          {"last_scanned_bytes", copies.lastScannedBytes},
          {"total_scanned_bytes", copies.totalScannedBytes}};
}

Json phasesJson(const std::vector<Phase> &phases) {
  Json list = Json::array();
  for (const Phase &phase : phases) {
    Json energy = Json::object();
    for (const auto &[part, nj] : phase.energy)
      energy[part] = nj;
    list.push_back({{"name", phase.name},
                    {"us", micros(phase.ns)},
                    {"energy_nj", phase.energy.empty() ? Json("unknown") : std::move(energy)}});
  }
  return list;
}

absl::Status writeTrace(const std::string &path, const std::vector<Phase> &phases, const std::vector<Span> &spans) {
  // The format's words: "X" is a span, "M" says what a row is called, "C" is a curve. Times are microseconds.
  enum Row { kPhases = 1, kSteps, kDevice };
  Json events = Json::array();
  for (auto [row, name] : {std::pair(kPhases, "phases"), {kSteps, "steps"}, {kDevice, "device"}})
    events.push_back({{"ph", "M"}, {"name", "thread_name"}, {"pid", 1}, {"tid", row}, {"args", {{"name", name}}}});
  const int64_t begin = phases.empty() ? 0 : phases.front().startNs;
  auto span = [&](Row row, const std::string &name, int64_t start, int64_t ns, Json arguments) {
    events.push_back({{"ph", "X"},
                      {"name", name},
                      {"pid", 1},
                      {"tid", row},
                      {"ts", micros(start - begin)},
                      {"dur", micros(ns)},
                      {"args", std::move(arguments)}});
  };
  auto power = [&](int64_t at, Json watts) {
    events.push_back(
        {{"ph", "C"}, {"name", "watts"}, {"pid", 1}, {"ts", micros(at - begin)}, {"args", std::move(watts)}});
  };
  for (const Phase &phase : phases) {
    span(kPhases, phase.name, phase.startNs, phase.ns, Json::object());
    Json watts = Json::object(), none = Json::object();
    for (const auto &[part, nj] : phase.energy) {
      watts[part] = phase.ns == 0 ? 0 : static_cast<double>(nj) / static_cast<double>(phase.ns);
      none[part] = 0;
    }
    if (!phase.energy.empty()) {
      power(phase.startNs, std::move(watts));
      power(phase.startNs + phase.ns, std::move(none));
    }
  }
  for (const Span &step : spans) {
    span(kSteps, step.name, step.startNs, step.ns,
         {{"kind", step.kind}, {"device", step.device}, {"layout_us", micros(step.layoutNs)}});
    if (const Evaluation &evaluation = step.evaluation; evaluation.ns != 0)
      span(kDevice, step.name, evaluation.startNs, evaluation.ns,
           {{"input_bytes", evaluation.inputBytes},
            {"output_bytes", evaluation.outputBytes},
            {"retries", evaluation.retries}});
  }
  const std::string text = Json{{"displayTimeUnit", "ms"}, {"traceEvents", std::move(events)}}.dump(
      -1, ' ', false, Json::error_handler_t::replace);
  return writeFile(path, text.data(), text.size());
}

} // namespace ane::rt::tools
