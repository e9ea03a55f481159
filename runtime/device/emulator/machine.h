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
  /// Whether a program that is unloaded, and loaded again when its weight files have been overwritten, has the new
  /// weights (WeightWay::Patch). Sources contradict each other (C07).
  bool reloadIsFresh = false;
  /// Whether a program loads with what was compiled of another one that has other weights (WeightWay::Donor). No record
  /// is of it; two sources report that it does, the others nothing (ane-programming.md 1.7). A machine without it takes
  /// nothing but compilations.
  bool takesDonors = true;
  /// Programs that a process compiles, where it is not the target's limit: sources differ in it (C05).
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
