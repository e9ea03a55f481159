//===- evaluation_paths.cpp - Which path of evaluation pays ---------------===//
#include "runtime/core/evaluation_paths.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/probe_program.h"
#include "runtime/device/ane/machine.h"
#include "runtime/support/clock.h"
#include "runtime/support/output_file.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

using Json = nlohmann::ordered_json;

namespace ane::rt {

using engine::EvaluationPath;

namespace {

constexpr float kFactor = 2;
/// Rounds in which each path evaluates once: as many as fit the time, but enough for a median.
constexpr int kLeastRounds = 15, kMostRounds = 500;
constexpr int64_t kMostNs = 500'000'000;
/// A path pays if it takes no more than this share of the standard path's time.
constexpr double kWorthwhile = 0.95;

/// Evaluates by a path. Returns why that failed; empty if it did not.
std::string submit(engine::AneDevice &device, EvaluationPath path, DeviceProgram &program, const Request &request,
                   int64_t *ns = nullptr) {
  if (absl::Status taken = device.take(path); !taken.ok())
    return std::string(taken.message());
  const int64_t start = nowNs();
  auto done = program.submit(request);
  if (ns)
    *ns = nowNs() - start;
  return done.ok() ? done->note : std::string(done.status().message());
}

/// The same; wrong values are a failure, too.
std::string check(engine::AneDevice &device, EvaluationPath path, const ProbeProgram &probe, DeviceProgram &program,
                  const Request &request) {
  if (absl::Status cleared = probe.clear(); !cleared.ok())
    return std::string(cleared.message());
  if (std::string why = submit(device, path, program, request); !why.empty())
    return why;
  auto factor = probe.factor();
  if (!factor.ok())
    return std::string(factor.status().message());
  return *factor == kFactor ? "" : absl::StrCat("it multiplies by ", *factor, ", expected ", kFactor);
}

double medianOf(std::vector<int64_t> ns) {
  const auto middle = ns.begin() + static_cast<std::ptrdiff_t>(ns.size() / 2);
  std::nth_element(ns.begin(), middle, ns.end());
  return static_cast<double>(*middle) / 1000;
}

/// A program whose values tell, loaded.
struct Loaded {
  ProbeProgram probe;
  std::unique_ptr<DeviceProgram> program;
  std::unique_ptr<Request> request;
};

absl::StatusOr<Loaded> loadProbe(engine::AneDevice &device, ProbedSize size) {
  auto probe = ProbeProgram::create(device, absl::StrCat("probe of evaluation at ", size.channels, "x", size.columns),
                                    {1, 1, size.channels, size.columns});
  auto files = probe.ok() ? probe->filesWith(kFactor) : probe.status();
  if (!files.ok())
    return files.status();
  probe->desc.folder = *std::move(files);
  auto program = device.load(probe->desc);
  if (!program.ok())
    return program.status();
  auto request = probe->request(**program);
  if (!request.ok())
    return request.status();
  return Loaded{*std::move(probe), *std::move(program), *std::move(request)};
}

absl::Status probeSize(engine::AneDevice &device, ProbedSize size, ProbedPaths &paths) {
  auto loaded = loadProbe(device, size);
  if (!loaded.ok())
    return loaded.status();
  auto &[probe, program, request] = *loaded;
  auto checkAll = [&, &probe = probe, &program = program, &request = request] {
    for (ProbedPath &each : paths)
      if (each.why.empty())
        each.why = check(device, each.path, probe, *program, *request);
  };
  checkAll();
  std::vector<std::vector<int64_t>> ns(paths.size());
  const int64_t start = nowNs();
  for (int round = 0; round < kMostRounds && (round < kLeastRounds || nowNs() - start < kMostNs); ++round)
    for (size_t i = 0; i < paths.size(); ++i)
      if (paths[i].why.empty())
        paths[i].why = submit(device, paths[i].path, *program, *request, &ns[i].emplace_back());
  checkAll();
  if (!paths[0].why.empty())
    return absl::FailedPreconditionError(absl::StrCat(probe.desc.name, " does not run: ", paths[0].why));
  for (size_t i = 0; i < paths.size(); ++i)
    if (paths[i].why.empty())
      paths[i].microseconds.push_back(medianOf(std::move(ns[i])));
  return absl::OkStatus();
}

/// Where the answer is kept; empty if no folder is known.
std::string cacheFile() {
  constexpr char name[] = "/evaluation.json";
  if (const char *folder = std::getenv("ANE_CACHE_DIR"); folder && *folder)
    return absl::StrCat(folder, name);
#ifdef __APPLE__
  if (const char *home = std::getenv("HOME"); home && *home)
    return absl::StrCat(home, "/Library/Caches/anemone", name);
#endif
  return "";
}

} // namespace

absl::StatusOr<ProbedPaths> probeEvaluationPaths(engine::AneDevice &device) {
  const EvaluationPath before = device.taken();
  ProbedPaths paths;
  for (EvaluationPath path : engine::kEvaluationPaths)
    paths.push_back({path, ""});
  absl::Status status;
  for (ProbedSize size : kProbedSizes)
    if (status.ok())
      status = probeSize(device, size, paths);
  device.take(before).IgnoreError(); // it worked before
  if (!status.ok())
    return status;
  return paths;
}

absl::Status takePath(engine::AneDevice &device, EvaluationPath path) {
  if (absl::Status status = device.take(path); !status.ok() || path == EvaluationPath::Standard)
    return status;
  auto loaded = loadProbe(device, kProbedSizes[0]);
  if (!loaded.ok() || !loaded->probe.clear().ok())
    return absl::OkStatus();
  if (!submit(device, path, *loaded->program, *loaded->request).empty())
    return device.take(path); // the first evaluation fails, too, says so, and goes back to the standard path
  auto factor = loaded->probe.factor();
  if (!factor.ok() || *factor == kFactor)
    return absl::OkStatus();
  device.take(EvaluationPath::Standard).IgnoreError();
  return absl::FailedPreconditionError(absl::StrCat("the ", nameOf(path),
                                                    " path of evaluation gives wrong values here: a "
                                                    "product with ",
                                                    kFactor, " was one with ", *factor,
                                                    "; remedy: evaluation = auto, or standard"));
}

EvaluationPath bestOf(const ProbedPaths &paths) {
  EvaluationPath best = EvaluationPath::Standard;
  double least = kWorthwhile;
  for (const ProbedPath &each : paths) {
    if (!each.why.empty() || each.path == EvaluationPath::Standard)
      continue;
    double share = 0; // of the standard path's time, where it is largest
    for (size_t i = 0; i < each.microseconds.size(); ++i)
      share = std::max(share, each.microseconds[i] / paths[0].microseconds[i]);
    if (share <= least) {
      least = share;
      best = each.path;
    }
  }
  return best;
}

absl::Status keepPath(const std::string &chipAndBuild, EvaluationPath path) {
  const std::string file = cacheFile();
  if (file.empty() || chipAndBuild.empty())
    return absl::FailedPreconditionError(file.empty() ? "there is no folder for caches: set HOME or ANE_CACHE_DIR"
                                                      : "the machine does not name its chip and system");
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(),
                                      error); // an error shows when the file is written
  const std::string text = Json{{"machine", chipAndBuild}, {"evaluation", nameOf(path)}}.dump(
                               -1, ' ', false, Json::error_handler_t::replace) +
                           "\n";
  return writeFile(file, text.data(), text.size());
}

std::optional<EvaluationPath> keptPath(const std::vector<std::string> &libraries) {
  const std::string name = cacheFile();
  std::error_code none;
  if (name.empty() || !std::filesystem::is_regular_file(name, none)) // a pipe would be waited for
    return std::nullopt;
  std::ifstream file(name, std::ios::binary);
  std::string text(4096, '\0'); // a longer file was not written by this code
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  const Json kept = Json::parse(text, nullptr, false);
  auto word = [&](const char *key) -> std::string {
    return kept.is_object() && kept.contains(key) && kept[key].is_string() ? kept[key].get<std::string>() : "";
  };
  auto path = engine::evaluationPathFrom(word("evaluation"));
  const std::string machine = word("machine");
  return path.ok() && !machine.empty() && machine == engine::chipAndBuild(libraries) ? *path : std::nullopt;
}

} // namespace ane::rt
