//===- loss_scale.cpp - What keeps gradients in fp16 ----------------------===//
#include "runtime/train/loss_scale.h"
#include "absl/strings/str_cat.h"
#include <algorithm>
#include <cmath>

namespace ane::rt::train {

absl::Status LossScale::check(const Options &options) {
  auto wrong = [](const auto &...what) { return absl::InvalidArgumentError(absl::StrCat("loss scale: ", what...)); };
  if (!(options.first > 0) || !std::isfinite(options.first))
    return wrong("is ", options.first, ", expected a number above 0");
  if (!options.isDynamic)
    return absl::OkStatus();
  if (!(options.least > 0 && options.least <= options.first && options.first <= options.most) ||
      !std::isfinite(options.most))
    return wrong("begins with ", options.first, ", which is not from ", options.least, " to ", options.most);
  if (options.interval < 1)
    return wrong("doubles after ", options.interval, " steps, expected 1 or more");
  return absl::OkStatus();
}

void LossScale::wasFinite() {
  if (!options.isDynamic || ++now.finite < options.interval)
    return;
  now.scale = std::min(now.scale * 2, options.most);
  now.finite = 0;
}

void LossScale::wasClamped() { halve(); }

bool LossScale::wasNotFinite() {
  const bool mayHelp = halve();
  now.skipped += mayHelp;
  return mayHelp;
}

/// Whether there is room for it.
bool LossScale::halve() {
  if (!options.isDynamic || now.scale <= options.least)
    return false;
  now.finite = 0;
  now.scale = std::max(now.scale / 2, options.least);
  return true;
}

} // namespace ane::rt::train
