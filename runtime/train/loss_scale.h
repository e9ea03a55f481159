//===- loss_scale.h - What keeps gradients in fp16 ---------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_LOSS_SCALE_H
#define ANE_RUNTIME_TRAIN_LOSS_SCALE_H

#include "absl/status/status.h"
#include <cstdint>

namespace ane::rt::train {

/// The loss is multiplied by a scale before gradients are computed, and gradients divided by it, so that small ones
/// do not vanish in fp16. A dynamic scale grows as long as gradients are finite, and is halved when they are not: that
/// step is skipped.
class LossScale {
public:
  /// The largest power of two that fp16 holds: PyTorch's GradScaler begins with twice as much, which would be infinite
  /// where the scale enters a program, and cost the first step.
  static constexpr double kFirst = 32768;

  struct Options {
    bool isDynamic = false;
    double first = 1;        ///< all the time if it is not dynamic
    int64_t interval = 2000; ///< finite steps in a row until it doubles
    double least = 1;
    double most = 16777216; ///< 2^24
  };
  /// Between two steps.
  struct State {
    double scale = 1;
    int64_t finite = 0;  ///< steps in a row since the scale has changed
    int64_t skipped = 0; ///< steps, in all, so that a smaller scale would help
  };

  LossScale() = default;
  explicit LossScale(const Options &options) : options(options), now{options.first, 0, 0} {}
  static absl::Status check(const Options &options);

  const State &state() const { return now; }
  void restore(const State &state) { now = state; }
  double scale() const { return now.scale; }

  /// After a step whose gradients were finite.
  void wasFinite();
  /// After one whose were made finite: the weights have changed, and a smaller scale is there now, if there is one.
  void wasClamped();
  /// After one whose were not: whether a smaller scale may help, and is there now.
  bool wasNotFinite();

private:
  bool halve();

  Options options;
  State now;
};

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_LOSS_SCALE_H
