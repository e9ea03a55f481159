//===- machine_probe.cpp - What only a machine can answer -----------------===//
//
// Sources disagree about what these try, or nobody has tried it. Each is a process
// of its own: what it does to the device ends with it.
//
//===----------------------------------------------------------------------===//
#include "runtime/tools/machine_probe.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/devices.h"
#include "runtime/core/evaluation_paths.h"
#include "runtime/core/probe_program.h"
#include "runtime/core/weight_ways.h"
#include "runtime/device/ane/machine.h"
#include "runtime/device/refusal.h"
#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

using Json = nlohmann::ordered_json;

namespace ane::rt::tools {
namespace {

Json errorJson(const absl::Status &status) {
  return {{"kind", nameOf(refusalOf(status))}, {"code", codeOf(status)}, {"message", std::string(status.message())}};
}

/// It runs, and gives something else than it should.
Json wrongValues(const std::string &message) { return {{"kind", "none"}, {"code", "values"}, {"message", message}}; }

/// Answers: what this machine is.
absl::StatusOr<Json> probeMachine(const RunOptions &options, Device *) {
  auto machine = engine::readMachine(librariesOf(options.device));
  if (!machine.ok())
    return absl::Status(machine.status().code(), absl::StrCat("--probe=machine: ", machine.status().message()));
  auto targets = engine::targetsOf(*machine);
  return Json{{"engine", machine->engine},    {"processor", machine->processor},
              {"model", machine->model},      {"os_version", machine->osVersion},
              {"os_build", machine->osBuild}, {"targets", targets.ok() ? Json(*targets) : Json::array()}};
}

/// Compiles a probe, loads it and looks at what it computes; null: all is well.
Json tryProgram(Device &device, ProbeProgram &probe, float factor, std::unique_ptr<DeviceProgram> *kept = nullptr) {
  auto files = probe.filesWith(factor);
  if (!files.ok())
    return errorJson(files.status());
  probe.desc.folder = *std::move(files);
  auto program = device.load(probe.desc);
  if (!program.ok())
    return errorJson(program.status());
  auto got = probe.evaluate(**program);
  if (!got.ok())
    return errorJson(got.status());
  if (*got != factor)
    return wrongValues(absl::StrCat("it multiplies by ", *got, ", expected ", factor));
  if (kept)
    *kept = *std::move(program);
  return nullptr;
}

/// Of how many constants, and of how many files, a program may be (C134, C224).
absl::StatusOr<Json> probeConstants(const RunOptions &options, Device *device) {
  Json list = Json::array();
  for (auto [constants, files] : {std::pair(16, 1), {17, 1}, {24, 1}, {32, 1}, {17, 2}, {16, 16}, {17, 17}, {24, 24}}) {
    auto probe = ProbeProgram::create(*device, absl::StrCat("probe of ", constants, " constants"), {constants, files},
                                      absl::StrCat("s", options.seed));
    if (!probe.ok())
      return probe.status();
    list.push_back({{"constants", constants}, {"files", files}, {"error", tryProgram(*device, *probe, 2)}});
  }
  return Json{{"programs", std::move(list)}};
}

/// Of how weights get into programs (C07): see weight_ways.h.
absl::StatusOr<Json> probeWeights(const RunOptions &, Device *device) {
  const WeightWays ways = probeWeightWays(*device);
  return Json{{"patch", ways.whyNoPatch}, {"donor", ways.whyNoDonor}, {"recompile", probeRecompiling(*device)}};
}

/// Of which path of evaluation is the fastest (ane-programming.md 1.6), which is kept.
absl::StatusOr<Json> probeEvaluation(const RunOptions &options, Device *device) {
  auto paths = probeEvaluationPaths(static_cast<engine::AneDevice &>(*device));
  if (!paths.ok())
    return paths.status();
  Json list = Json::array(), sizes = Json::array();
  for (ProbedSize size : kProbedSizes)
    sizes.push_back(absl::StrCat(size.channels, "x", size.columns));
  for (const ProbedPath &each : *paths)
    list.push_back({{"path", nameOf(each.path)}, {"error", each.why}, {"median_us", each.microseconds}});
  const engine::EvaluationPath best = bestOf(*paths);
  const absl::Status kept = keepPath(engine::chipAndBuild(librariesOf(options.device)), best);
  return Json{{"sizes", std::move(sizes)},
              {"paths", std::move(list)},
              {"best", nameOf(best)},
              {"not_kept", std::string(kept.message())}};
}

/// Of whether a chain runs, which nobody has seen (ane-programming.md 1.6).
absl::StatusOr<Json> probeChain(const RunOptions &, Device *device) {
  auto probe = ProbeProgram::create(*device, "probe of a chain", {});
  if (!probe.ok())
    return probe.status();
  std::unique_ptr<DeviceProgram> program;
  if (Json error = tryProgram(*device, *probe, 2, &program); !error.is_null())
    return absl::FailedPreconditionError(absl::StrCat("the probe does not run: ", error["message"].get<std::string>()));
  auto request = probe->request(*program);
  absl::Status status = request.ok() ? probe->clear() : request.status();
  if (status.ok())
    status = static_cast<engine::AneDevice &>(*device).chain(*program, **request);
  if (!status.ok())
    return Json{{"error", errorJson(status)}};
  // Nobody knows what tells that it has run.
  float factor = 0;
  for (int i = 0; i < 50 && factor != 2; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    auto got = probe->factor();
    if (!got.ok())
      return got.status();
    factor = *got;
  }
  return Json{{"error", factor == 2 ? Json(nullptr)
                                    : wrongValues(absl::StrCat("each step is taken, but after half a second it "
                                                               "multiplies by ",
                                                               factor, ", expected 2"))}};
}

/// Of how many programs a process may compile and load (C05, C139). The same seed means the same programs, so that a
/// second process loads those that the first has compiled.
absl::StatusOr<Json> probePrograms(const RunOptions &options, Device *device) {
  constexpr int kMost = 200;
  std::vector<std::unique_ptr<DeviceProgram>> loaded;
  int64_t compiled = 0, known = 0;
  const char *phase = "compile";
  Json error = nullptr;
  for (int i = 0; i < kMost && error.is_null(); ++i) {
    auto probe =
        ProbeProgram::create(*device, absl::StrCat("probe ", i), {}, absl::StrCat("s", options.seed, "n", i, "c"));
    auto files = probe.ok() ? probe->filesWith(2) : probe.status();
    if (!files.ok())
      return files.status();
    probe->desc.folder = *std::move(files);
    auto program = device->create(probe->desc);
    absl::Status status = program.status();
    const bool isKnown = status.ok() && (*program)->isCompiled();
    phase = "compile";
    if (status.ok() && !isKnown)
      status = (*program)->compile();
    if (status.ok()) {
      ++(isKnown ? known : compiled);
      phase = "load";
      status = (*program)->load();
    }
    if (!status.ok())
      error = errorJson(status);
    else
      loaded.push_back(*std::move(program));
  }
  return Json{{"compiled", compiled},
              {"known", known},
              {"loaded", loaded.size()},
              {"phase", phase},
              {"error", std::move(error)}};
}

enum class Needs : uint8_t { Nothing, ADevice, TheEngine };
struct Kind {
  const char *name;
  absl::StatusOr<Json> (*probe)(const RunOptions &, Device *);
  Needs needs;
};
constexpr Kind kKinds[] = {{"machine", probeMachine, Needs::Nothing}, {"constants", probeConstants, Needs::ADevice},
                           {"weights", probeWeights, Needs::ADevice}, {"evaluation", probeEvaluation, Needs::TheEngine},
                           {"chain", probeChain, Needs::TheEngine},   {"programs", probePrograms, Needs::ADevice}};

} // namespace

absl::Status checkProbe(const std::string &name) {
  for (const Kind &kind : kKinds)
    if (name == kind.name)
      return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("--probe: is \"", name, "\", expected machine, constants, weights, evaluation, chain or programs"));
}

absl::Status runProbe(const RunOptions &options, std::ostream &out) {
  const Kind *kind =
      std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind &each) { return options.probe == each.name; });
  std::unique_ptr<Device> device;
  if (kind->needs != Needs::Nothing) {
    auto made = makeDevice({options.device, options.emulatorMode, {"h16", "in_memory", "15", "ios16", "catalog"}});
    if (!made.ok())
      return made.status();
    if (!*made)
      return absl::FailedPreconditionError(absl::StrCat("--probe=", options.probe, ": device ", options.device,
                                                        " runs no programs; give --device=ane or emulator"));
    device = *std::move(made);
    if (kind->needs == Needs::TheEngine && device->name() != "ane")
      return absl::FailedPreconditionError(absl::StrCat("--probe=", options.probe,
                                                        " asks the engine, and the device is ",
                                                        std::string(device->name()), "; give --device=ane"));
  }
  auto found = kind->probe(options, device.get());
  if (!found.ok())
    return found.status();
  Json json = {{"probe", options.probe}, {"device", std::string(device ? device->name() : "ane")}};
  json.update(*found);
  out << json.dump(1, ' ', false, Json::error_handler_t::replace) << "\n";
  return absl::OkStatus();
}

} // namespace ane::rt::tools
