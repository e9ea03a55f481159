//===- signature.h - What a training step asks of an example -----*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_DATA_SIGNATURE_H
#define ANE_RUNTIME_TRAIN_DATA_SIGNATURE_H

#include "runtime/format/manifest/manifest.h"

namespace ane::rt::train {

/// One value of an example: an input of `step` without its axis 0, the batch.
struct Field {
  std::string name;
  manifest::TensorType type;
  /// Integers that are indices: what they may be. Empty `reader`: no bound (manifest::Port).
  int64_t min = 0, max = 0;
  std::string reader = {};

  int64_t elements() const { return manifest::elementCount(type.shape); }
  int64_t bytes() const { return manifest::byteCount(type); }
};

/// All of them.
struct Signature {
  std::vector<Field> fields; ///< data inputs in the order of `step`, and the target behind them if there is one
  bool hasTarget = false;
  int64_t batch = 1; ///< examples of a run of `step`
  /// Of cross-entropy: a target that does not count, and therefore has no bound.
  std::optional<int64_t> ignore;

  const Field *target() const { return hasTarget ? &fields.back() : nullptr; }
};

/// Of a manifest that has passed verify(). InvalidArgument for a bundle that does not train.
absl::StatusOr<Signature> signatureOf(const manifest::Manifest &manifest);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_DATA_SIGNATURE_H
