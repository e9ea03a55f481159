//===- faithful.h - What the engine does with misuse ----------------------===//
//
// Faithful mode turns what the linter finds into what the records say happens
// on the engine: a load that fails, a status, swapped or zeroed data, another
// number. Programs without misuse run as in plain mode, but with the engine's
// known arithmetic (NumericModel).
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_FAITHFUL_H
#define ANE_RUNTIME_DEVICE_EMULATOR_FAITHFUL_H

#include "absl/status/status.h"
#include "runtime/device/emulator/numeric_model.h"
#include "runtime/lint/linter.h"

#include <set>
#include <string>
#include <vector>

namespace ane::rt::emulator {

struct Behaviour {
  /// Not OK: the load fails so. FailedPrecondition, as for any program that
  /// the engine refuses.
  absl::Status load;
  /// Not OK: each evaluation fails so.
  absl::Status evaluation;
  /// The i-th surface belongs to the i-th name in byte order.
  bool bindsBySortedName = false;
  /// Evaluations of other programs fail after one of this.
  bool poisons = false;
  /// Weights whose record cannot be read are read all the same.
  bool readsWrongBytes = false;
  /// Outputs, by name.
  std::set<std::string> nan, zeros, garbage;
  /// What is wrong with an input shows in every output.
  bool allZeros = false;
  /// Inputs and outputs whose rows are read without the gaps between them.
  std::set<std::string> packed;
  NumericModel numerics;
};

/// Of diagnostics that were made with LintOptions::measuredOnly.
Behaviour behaviourOf(absl::Span<const lint::Diagnostic> diagnostics, const lint::Target &target);

/// Status 0x1d of an evaluation (ane-programming.md 1.8).
absl::Status inferenceError(const std::string &why);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_FAITHFUL_H
