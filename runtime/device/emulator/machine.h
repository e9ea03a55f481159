//===- machine.h - What machines of one target differ in ------------------===//
//
// Records say what a chip, a route and a version of macOS do. Beyond that, sources
// report machines that differ in what becomes of a program whose weights change, and
// agree on no chip or version that decides it. Faithful mode can be any of them, so
// that what relies on such a machine, or copes with it, can be tested. A machine is
// spelled behind the mode:
//
//   faithful:reload=fresh,donor=refused,compilations=20,failures=7
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_MACHINE_H
#define ANE_RUNTIME_DEVICE_EMULATOR_MACHINE_H

#include "runtime/device/emulator/numeric_model.h"

#include <cstdint>
#include <optional>

namespace ane::rt::emulator {

struct Machine {
  /// Whether a program that is unloaded, and loaded again when its weight files have been
  /// overwritten, has the new weights (WeightWay::Patch). It has the old ones on M5
  /// (maderix test_weight_reload, macOS 26.3: outputs differ by 0.000000; m0at) and on M4
  /// Max (maderix PR 37cac98), and there new ones by Orion (M4 Max; no numbers were
  /// compared) (ane-programming.md 1.7).
  bool reloadIsFresh = false;
  /// Whether a program loads with what was compiled of another one that has other
  /// weights (WeightWay::Donor). It does by Orion (M4 Max: equal to a fresh compilation, one
  /// weight file) and Espresso (M3 Max: a model of 12 layers, many files) (1.7). Others don't
  /// report; a machine without it takes nothing but compilations.
  bool takesDonors = true;
  /// Programs that a process compiles, where it is not the target's limit: about 100 in
  /// Espresso (M3 Max), 119 in Orion (M4 Max) (C05).
  std::optional<int64_t> compilations;
  /// Above 0: of so many evaluations in the process, the last fails with status 0x1d,
  /// and would not a second time. Sources have this status for misuse only (1.8); that it passes
  /// is an assumption, for tests of recovery.
  int64_t failures = 0;
};

/// What the emulator is told to be.
struct Behaviours {
  Mode mode = Mode::Lint;
  Machine machine; ///< of Mode::Faithful
};

/// "lint", "plain", "faithful", or that with a machine; empty: the default. InvalidArgument,
/// with what there is, for anything else.
absl::StatusOr<Behaviours> parseBehaviours(std::string_view text);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_MACHINE_H
