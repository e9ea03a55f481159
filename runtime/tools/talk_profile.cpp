//===- talk_profile.cpp - What answers have cost --------------------------===//
#include "runtime/tools/talk_profile.h"
#include "runtime/core/devices.h"
#include <nlohmann/json.hpp>

namespace ane::rt::tools {

using Json = nlohmann::ordered_json;

TalkProfile::TalkProfile(const RunOptions &options)
    : options(options), phases(options.profile || !options.trace.empty() ? energyMeter(options.device) : nullptr) {}

absl::Status TalkProfile::finish(const std::vector<const Executor *> &ran, const Streams &streams) {
  phases.end("answers");
  if (!options.trace.empty())
    if (absl::Status status = writeTrace(options.trace, phases.all(), spans); !status.ok())
      return status;
  if (!options.profile)
    return absl::OkStatus();
  if (options.json) {
    Json functions = Json::array();
    for (const Executor *executor : ran)
      functions.push_back({{"function", executor->name()},
                           {"device", executor->owner()->deviceName()},
                           {"profile", profileJson(*executor)},
                           {"copies", copiesJson(*executor)}});
    streams.out << Json{{"functions", std::move(functions)}, {"phases", phasesJson(phases.all())}}.dump() << "\n"
                << std::flush;
    return absl::OkStatus();
  }
  for (const Executor *executor : ran) {
    streams.err << "\nfunction " << executor->name() << ", device " << executor->owner()->deviceName() << "\n";
    printSteps(*executor, streams.err);
  }
  printPhases(phases.all(), streams.err);
  streams.err << std::flush;
  return absl::OkStatus();
}

} // namespace ane::rt::tools
