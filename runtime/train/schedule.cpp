//===- schedule.cpp - Learning rates --------------------------------------===//
#include "runtime/train/schedule.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/quote.h"
#include <algorithm>
#include <cmath>

namespace ane::rt::train {

double Schedule::at(int64_t step) const {
  if (step < warmup)
    return rate * static_cast<double>(step + 1) / static_cast<double>(warmup);
  if (kind == Kind::Constant)
    return rate;
  const double length = static_cast<double>(std::max<int64_t>(steps - warmup, 1));
  const double part = std::min(static_cast<double>(step - warmup) / length, 1.0);
  const double left = kind == Kind::Linear ? 1 - part : 0.5 * (1 + std::cos(std::acos(-1.0) * part));
  return rate * (end + (1 - end) * left);
}

absl::Status Schedule::check() const {
  auto wrong = [](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat("schedule: ", what...)); };
  if (!(rate > 0) || !std::isfinite(rate))
    return wrong("the learning rate is ", rate, ", expected a number above 0");
  if (!(end >= 0 && end <= 1))
    return wrong("the share of the learning rate at the end is ", end, ", expected 0 to 1");
  if (warmup < 0 || steps < 0)
    return wrong("has ", warmup, " steps of warm-up of ", steps, ", expected none or more");
  if (kind != Kind::Constant && steps == 0)
    return wrong("falls to the last step, and needs the number of steps");
  if (kind != Kind::Constant && warmup > steps)
    return wrong("warm-up takes ", warmup, " steps of ", steps);
  return absl::OkStatus();
}

absl::StatusOr<Schedule::Kind> scheduleKind(const std::string &name) {
  for (Schedule::Kind kind : {Schedule::Kind::Constant, Schedule::Kind::Linear, Schedule::Kind::Cosine})
    if (name == scheduleName(kind))
      return kind;
  return absl::InvalidArgumentError(absl::StrCat("schedule is ", quote(name), ", expected constant, linear or cosine"));
}

const char *scheduleName(Schedule::Kind kind) {
  return kind == Schedule::Kind::Constant ? "constant" : kind == Schedule::Kind::Linear ? "linear" : "cosine";
}

} // namespace ane::rt::train
