//===- schedule.h - Learning rates -------------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_SCHEDULE_H
#define ANE_RUNTIME_TRAIN_SCHEDULE_H

#include "absl/status/statusor.h"
#include <cstdint>
#include <string>

namespace ane::rt::train {

/// Learning rate of step t, counted from 0. It first rises, rate * (t + 1) / warmup; then, with p from 0 behind the
/// warm-up to 1 at `steps`, it falls from rate to rate * end: by half a cosine, in a line, or not at all. From `steps`
/// on it stays.
struct Schedule {
  enum class Kind : uint8_t { Constant, Linear, Cosine };
  Kind kind = Kind::Constant;
  double rate = 0;
  double end = 0;     ///< share of `rate`
  int64_t warmup = 0; ///< steps
  int64_t steps = 0;  ///< of the whole run

  double at(int64_t step) const;
  /// InvalidArgument, naming what is out of range.
  absl::Status check() const;
};

/// "constant", "linear" or "cosine".
absl::StatusOr<Schedule::Kind> scheduleKind(const std::string &name);
const char *scheduleName(Schedule::Kind kind);

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_SCHEDULE_H
