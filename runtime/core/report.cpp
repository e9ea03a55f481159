//===- report.cpp - What a run has to say, as JSON ------------------------===//
#include "runtime/core/report.h"
#include "runtime/support/json_owner.h"
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace ane::rt {
namespace {

double micros(int64_t ns) { return static_cast<double>(ns) / 1000.0; }

// Names come from files and need not be UTF-8.
std::string text(JsonOwner<Json> &json) { return json->dump(-1, ' ', false, Json::error_handler_t::replace); }

Json portsJson(const std::vector<manifest::Port> &ports, const manifest::Manifest &manifest) {
  Json list = Json::array();
  for (const manifest::Port &port : ports) {
    const manifest::TensorType &type = manifest.tensors[port.tensor].type;
    list.push_back({{"name", port.name}, {"dtype", numpyName(type.dtype)}, {"shape", type.shape}});
  }
  return list;
}

} // namespace

std::string bundleJson(const manifest::Manifest &manifest) {
  const manifest::Target &target = manifest.target;
  JsonOwner<Json> owner(Json{{"producer", manifest.producer},
                             {"target",
                              {{"chip", target.chip},
                               {"route", target.route},
                               {"os", target.os},
                               {"opset", target.opset},
                               {"strictness", target.strictness}}},
                             {"hosts", Json::array()},
                             {"programs", Json::array()},
                             {"functions", Json::array()}});
  Json &json = *owner;
  for (const manifest::HostLibrary &library : manifest.hostLibraries)
    json["hosts"].push_back(nameOf(library));
  for (const manifest::Program &program : manifest.programs)
    json["programs"].push_back(program.name);
  for (const manifest::Function &function : manifest.functions)
    json["functions"].push_back({{"name", function.name},
                                 {"inputs", portsJson(function.inputs, manifest)},
                                 {"outputs", portsJson(function.outputs, manifest)}});
  return text(owner);
}

std::string eventsJson(const std::vector<Event> &events) {
  JsonOwner<Json> list(Json::array());
  for (const Event &event : events)
    list->push_back(
        {{"program", event.program}, {"device", event.device}, {"phase", event.phase}, {"reason", event.reason}});
  return text(list);
}

std::string profileJson(const std::vector<StepProfile> &profile) {
  JsonOwner<Json> list(Json::array());
  for (const StepProfile &step : profile)
    list->push_back({{"name", step.name},
                     {"kind", step.kind},
                     {"device", step.device},
                     {"runs", step.runs},
                     {"last_us", micros(step.lastNs)},
                     {"total_us", micros(step.totalNs)},
                     {"last_layout_us", micros(step.lastLayoutNs)},
                     {"total_layout_us", micros(step.totalLayoutNs)}});
  return text(list);
}

} // namespace ane::rt
