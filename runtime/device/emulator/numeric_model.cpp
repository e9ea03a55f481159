//===- numeric_model.cpp - Arithmetic of the emulated engine --------------===//

#include "runtime/device/emulator/numeric_model.h"

#include "absl/strings/str_cat.h"

namespace ane::rt::emulator {

absl::StatusOr<Mode> modeFromName(std::string_view name) {
  if (name == "lint")
    return Mode::Lint;
  if (name == "faithful")
    return Mode::Faithful;
  if (name == "plain")
    return Mode::Plain;
  return absl::InvalidArgumentError(absl::StrCat(
      "the emulator has no mode '", absl::string_view(name.data(), name.size()), "'; it has: lint, faithful, plain"));
}

} // namespace ane::rt::emulator
