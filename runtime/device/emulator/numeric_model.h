//===- numeric_model.h - Arithmetic of the emulated engine ----------------===//
//
// What the engine does to numbers beyond "fp16 storage, fp32 accumulation".
// Every deviation is a field, so that a mode is a value of this struct and
// kernels never ask which mode they run in.
//
//===----------------------------------------------------------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_NUMERIC_MODEL_H
#define ANE_RUNTIME_DEVICE_EMULATOR_NUMERIC_MODEL_H

#include "absl/status/statusor.h"

#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace ane::rt::emulator {

struct NumericModel {
  /// matmul, linear and convolutions of more than one product per output leave
  /// the accumulator through a port that gives infinity from here on, for any K
  /// (Numeric::AccumulatorPort). A 1x1 convolution with one input channel and
  /// elementwise ops have the full fp16 range. Infinity: none has a limit.
  float portLimit = std::numeric_limits<float>::infinity();

  /// reduce_sum and reduce_mean add in fp16 (ane-op-chip-matrix.md 2
  /// "Reductions" and Q14: less accurate than a product with ones; integers are
  /// exact up to 2048 and 2049 gives 2050, 4.2).
  bool narrowReductions = false;

  /// `quantize` rounds half-way values away from zero instead of to the even
  /// integer (ane-op-chip-matrix.md 4.2, "QDQ midpoint": M5 Pro, all finite
  /// fp16 inputs).
  bool quantizeHalfAwayFromZero = false;

  /// A NaN in an input is infinity, one in a result is 0 (C86).
  bool makesNoNaN = false;

  /// scaled_dot_product_attention computes as if it had no attn_mask (C06).
  bool attentionIgnoresMask = false;
  /// A convolution sees no weight that is computed at run time (C53).
  bool convIgnoresRuntimeWeight = false;
  /// Slugs of records whose wrong elements `cliffs.cpp` knows.
  std::set<std::string> cliffs;

  /// What becomes of single results, by name: faults of the op that computes
  /// them, where it stands.
  enum class Fault { Zeros, Garbage, OtherFactor, OverflowsEarly, OperandOverflows };
  std::map<std::string, Fault> faults;

  /// fp16 storage, fp32 inside an op, nothing else.
  static NumericModel plain() { return {}; }
};

/// What the emulator is for in a run.
enum class Mode {
  /// Documented misuse of the engine is an error that names the record
  /// (lint/linter.h); values as in Plain.
  Lint,
  /// Does what the engine is documented to do with such programs instead:
  /// swapped data, zeros, failed loads (faithful.h).
  Faithful,
  /// The arithmetic of `NumericModel::plain`; misuse is not checked.
  Plain,
};

/// "lint", "faithful" or "plain"; any other word is an InvalidArgument status
/// that lists them.
absl::StatusOr<Mode> modeFromName(std::string_view name);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_NUMERIC_MODEL_H
