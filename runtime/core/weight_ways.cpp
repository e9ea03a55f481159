//===- weight_ways.cpp - Which ways weights get into programs -------------===//
#include "runtime/core/weight_ways.h"
#include "absl/strings/str_cat.h"
#include "runtime/core/probe_program.h"
#include "runtime/device/refusal.h"
#include <algorithm>
#include <utility>

namespace ane::rt {
namespace {

constexpr WeightWay kWays[] = {WeightWay::Patch, WeightWay::Donor, WeightWay::Recompile};

/// What weights multiply by, one set after the other.
constexpr float kFactors[] = {2, 3, 5};

class Probe {
public:
  explicit Probe(Device &device) : device(device) {}

  /// Compiles the program and looks whether it computes what it should.
  absl::Status begin(const std::string &tag = "") {
    auto made = ProbeProgram::create(device, "probe of weights", {}, tag);
    if (!made.ok())
      return made.status();
    probe = std::make_unique<ProbeProgram>(*std::move(made));
    auto files = probe->filesWith(kFactors[0]);
    if (!files.ok())
      return files.status();
    probe->desc.folder = *std::move(files);
    auto loaded = device.load(probe->desc);
    if (!loaded.ok())
      return loaded.status();
    program = *std::move(loaded);
    auto factor = probe->evaluate(*program);
    if (factor.ok() && *factor != kFactors[0])
      return absl::InternalError(absl::StrCat("the probe gives ", *factor, ", expected ", kFactors[0]));
    return factor.status();
  }

  /// Whether a program computes with other weights that get there that way; if not, why. That program is the next
  /// one's.
  std::string tryWay(WeightWay way) {
    const float before = current, wanted = kFactors[++used];
    auto files = probe->filesWith(wanted);
    if (!files.ok())
      return reason(files.status());
    ProgramDesc other = probe->desc;
    other.folder = *files;
    auto made = way == WeightWay::Recompile
                    ? device.load(other)
                    : program->updateWeights(way, *std::move(files), {ProbeProgram::firstMatrix()});
    if (!made.ok())
      return reason(made.status());
    program = *std::move(made);
    auto factor = probe->evaluate(*program);
    if (!factor.ok())
      return reason(factor.status());
    if (*factor == wanted) {
      current = wanted;
      return "";
    }
    return *factor == before ? "it computes with the old weights"
                             : "it computes with neither the old nor the new weights";
  }

  std::string reason(const absl::Status &status) {
    mayPass |= rt::mayPass(refusalOf(status));
    return std::string(status.message());
  }

  bool mayPass = false; ///< see WeightWays

private:
  Device &device;
  std::unique_ptr<ProbeProgram> probe;
  std::unique_ptr<DeviceProgram> program;
  float current = kFactors[0];
  size_t used = 0;
};

} // namespace

WeightWays probeWeightWays(Device &device, bool isRoomForTwo) {
  WeightWays ways;
  Probe probe(device);
  if (absl::Status s = probe.begin(); !s.ok()) {
    ways.whyNoDonor = ways.whyNoPatch = absl::StrCat("the probe does not run: ", probe.reason(s));
    ways.mayPass = probe.mayPass;
    return ways;
  }
  // A patched program is no donor any more.
  ways.whyNoDonor = isRoomForTwo ? probe.tryWay(WeightWay::Donor) : "the budget has no room for two programs";
  ways.whyNoPatch = probe.tryWay(WeightWay::Patch);
  ways.mayPass = probe.mayPass;
  return ways;
}

std::string probeRecompiling(Device &device) {
  Probe probe(device);
  if (absl::Status s = probe.begin("r"); !s.ok()) // another text than that of what was patched
    return absl::StrCat("the probe does not run: ", probe.reason(s));
  return probe.tryWay(WeightWay::Recompile);
}

int64_t probeBytes() { return ProbeProgram::bytes(); }

std::vector<WeightWay> WeightWays::order(std::optional<WeightWay> first) const {
  std::vector<WeightWay> list;
  for (WeightWay way : kWays)
    if (works(way))
      list.push_back(way);
  if (auto place = first ? std::find(list.begin(), list.end(), *first) : list.end(); place != list.end())
    std::rotate(list.begin(), place, place + 1);
  return list;
}

std::string WeightWays::text(std::optional<WeightWay> first) const {
  const WeightWay chosen = order(first).front();
  std::string text(nameOf(chosen)), since = ", since by ";
  for (auto [way, why] : {std::pair(WeightWay::Patch, &whyNoPatch), {WeightWay::Donor, &whyNoDonor}})
    if (!works(way) && (first ? way == *first : way < chosen))
      absl::StrAppend(&text, std::exchange(since, ", and by "), std::string(nameOf(way)), " ", *why);
  return text;
}

absl::StatusOr<std::optional<WeightWay>> weightWayFrom(const std::string &word) {
  if (word.empty() || word == "auto")
    return std::nullopt;
  for (WeightWay way : kWays)
    if (word == nameOf(way))
      return way;
  return absl::InvalidArgumentError(absl::StrCat("is \"", word, "\", expected auto, patch, donor or recompile"));
}

} // namespace ane::rt
