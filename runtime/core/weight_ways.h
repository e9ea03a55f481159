//===- weight_ways.h - Which ways weights get into programs -----*- C++ -*-===//
//
// Sources contradict each other about what a reload does to a program whose weight
// files were overwritten, and where it does nothing the engine says nothing either
// (C07). So it is tried, once for each device of a process,
// with a program of a few lines: its weights change, and its values tell.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_WEIGHT_WAYS_H
#define ANE_RUNTIME_CORE_WEIGHT_WAYS_H

#include "runtime/device/device.h"
#include <optional>
#include <string>
#include <vector>

namespace ane::rt {

/// What the probe has found. Compilations always work, as long as there is a budget.
struct WeightWays {
  /// Why a way does not work, empty where it does.
  std::string whyNoPatch = "it was not probed", whyNoDonor = whyNoPatch;
  /// One of these reasons is a state of the device: another time the probe may find something else.
  bool mayPass = false;

  bool works(WeightWay way) const {
    return way == WeightWay::Recompile || (way == WeightWay::Patch ? whyNoPatch : whyNoDonor).empty();
  }
  /// Those that work, the cheapest first, but `first` before all. Patches need no second place on the device, and
  /// neither they nor donors a compilation.
  std::vector<WeightWay> order(std::optional<WeightWay> first) const;
  /// The first of these, and why those before it don't work.
  std::string text(std::optional<WeightWay> first) const;
};

/// One compilation, and four evaluations at most; where there `isRoomForTwo` programs of probeBytes(), a donor stands
/// beside it for a while. A device that does not run the program takes compilations only.
WeightWays probeWeightWays(Device &device, bool isRoomForTwo = true);
int64_t probeBytes();

/// Why a program that is compiled beside one of the same text computes with other weights than it was given; empty if
/// it does not. Two compilations. Sources contradict each other about what tells programs apart, so only
/// --probe=weights calls it: a process without this way would have no other.
std::string probeRecompiling(Device &device);

/// "auto" and "" are nothing; InvalidArgument lists the words.
absl::StatusOr<std::optional<WeightWay>> weightWayFrom(const std::string &word);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_WEIGHT_WAYS_H
