//===- weight_ways.h - Which ways weights get into programs -----*- C++ -*-===//
//
// Sources contradict each other about what a reload does to a program whose weight
// files were overwritten, and where it does nothing the engine says nothing either
// (C07, device/emulator/machine.h). So it is tried, once for each device of a process,
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
  bool patch = false, donor = false;
  /// Why a way does not work, empty where it does.
  std::string whyNoPatch = "it was not probed", whyNoDonor = "it was not probed";

  bool works(WeightWay way) const { return way == WeightWay::Recompile || (way == WeightWay::Patch ? patch : donor); }
  /// Those that work, the cheapest first, which are 4, 8 and 70 ms of a small program (ane-programming.md 7.1), but
  /// `first` before all.
  std::vector<WeightWay> order(std::optional<WeightWay> first) const;
  /// The first of these, and why those before it don't work.
  std::string text(std::optional<WeightWay> first) const;
};

/// One load, and four evaluations at most. A device that does not run the program takes compilations only.
WeightWays probeWeightWays(Device &device);

/// "auto" and "" are nothing; InvalidArgument lists the words.
absl::StatusOr<std::optional<WeightWay>> weightWayFrom(const std::string &word);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_WEIGHT_WAYS_H
