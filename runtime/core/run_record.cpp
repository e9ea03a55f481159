//===- run_record.cpp - What the runs of a session have cost --------------===//
#include "runtime/core/run_record.h"
#include "runtime/support/clock.h"
#include <algorithm>
#include <utility>

namespace ane::rt {
namespace {

/// A step of a trace takes a quarter of a kilobyte.
constexpr size_t kMostSpans = 1 << 18;

} // namespace

void StepProfile::add(const Evaluation &cost) {
  ++evaluations;
  retries += cost.retries;
  evaluationNs += cost.ns;
  inputBytes += cost.inputBytes;
  outputBytes += cost.outputBytes;
  energyNj = energyNj && cost.energyNj ? std::optional<int64_t>(*energyNj + *cost.energyNj) : std::nullopt;
}

RunRecord::RunRecord(const Plan &plan, const Bundle &bundle, const Values &values)
    : values(values), log(bundle.context().log()) {
  const auto kindOf = [](const PlannedStep &step) {
    if (const auto *host = std::get_if<HostStep>(&step.work))
      return host->twinOf ? "twin" : "host";
    return std::holds_alternative<ProgramStep>(step.work) ? "program" : "update";
  };
  profiles.reserve(plan.steps.size());
  for (const PlannedStep &step : plan.steps) {
    const bool isProgram = std::holds_alternative<ProgramStep>(step.work);
    profiles.push_back({step.name, kindOf(step), isProgram ? bundle.deviceName() : "cpu"});
  }
}

void RunRecord::beginRun() {
  ++runNumber;
  before = values.traffic();
  copied.lastStateBytes = copied.lastSurfaceBytes = copied.lastScannedBytes = 0;
  if (spans && spans->size() >= kMostSpans)
    spans = nullptr;
}

void RunRecord::endRun(bool hasSucceeded) {
  if (!hasSucceeded) {
    copied.lastStateBytes = 0;
    return;
  }
  const Traffic &after = values.traffic();
  copied.lastSurfaceBytes = after.copiedBytes - before.copiedBytes;
  copied.lastScannedBytes = after.scannedBytes - before.scannedBytes;
  copied.totalClamped += after.clampedElements - before.clampedElements;
  ++copied.runs;
  copied.totalSurfaceBytes += copied.lastSurfaceBytes;
  copied.totalStateBytes += copied.lastStateBytes;
  copied.totalScannedBytes += copied.lastScannedBytes;
}

void RunRecord::beginStep() {
  lastEvaluation = Evaluation();
  start = nowNs();
  movedBefore = values.traffic().ns;
}

void RunRecord::endStep(size_t index) {
  StepProfile &profile = profiles[index];
  profile.lastLayoutNs = values.traffic().ns - movedBefore;
  profile.lastNs = nowNs() - start;
  profile.totalNs += profile.lastNs;
  profile.totalLayoutNs += profile.lastLayoutNs;
  ++profile.runs;
  if (spans)
    spans->push_back(
        {profile.name, profile.kind, profile.device, start, profile.lastNs, profile.lastLayoutNs, lastEvaluation});
}

void RunRecord::addEvaluation(size_t index, const Evaluation &cost) {
  profiles[index].add(cost);
  if (spans)
    lastEvaluation = cost;
}

void RunRecord::noteOnce(Event event) {
  auto known = std::find_if(eventList.begin(), eventList.end(), [&](const Event &known) {
    return known.program == event.program && known.phase == event.phase && known.cause == event.cause &&
           (!event.cause.empty() || known.reason == event.reason);
  });
  event.lastRun = runNumber;
  if (known == eventList.end())
    note(std::move(event));
  else if (std::exchange(known->lastRun, runNumber) != runNumber)
    ++known->runs;
}

void RunRecord::note(Event event) {
  log.write(LogLevel::Warning, "program ", event.program, " on ", event.device, " (", event.phase, "): ", event.reason);
  eventList.push_back(std::move(event));
}

} // namespace ane::rt
