//===- gradients.h - Sums over gradients --------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_GRADIENTS_H
#define ANE_RUNTIME_TRAIN_GRADIENTS_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/train/client.h"
#include "runtime/train/parameters.h"

namespace ane::rt::train {

/// Runs the bundle's functions that add up gradients, over arenas.
class GradientSums {
public:
  static absl::StatusOr<GradientSums> create(const BundleHandle &bundle, const manifest::Training &training,
                                             const Parameters &parameters);

  /// Of all elements: in fp32 within a sweep, in double over sweeps. Infinite or NaN if an element is.
  absl::StatusOr<double> squares(const float *gradients);
  /// into += from
  absl::Status add(float *into, const float *from);

private:
  Function squaresFunction, addFunction; ///< ports stay where they are when they move
  const Port *gradient, *sum, *into, *from, *added;
  int64_t sweep, floats;
};

/// "the gradient of NAME is NaN at [3, 5]", of the first element that is not finite, and how many there are; "" if all
/// are finite. `order`: places in parameters.all(), as gradients are looked at.
std::string describeNonFinite(const Parameters &parameters, absl::Span<const size_t> order, const float *gradients);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_GRADIENTS_H
