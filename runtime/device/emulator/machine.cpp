//===- machine.cpp - What machines of one target differ in ----------------===//

#include "runtime/device/emulator/machine.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace ane::rt::emulator {
namespace {

absl::string_view viewOf(std::string_view text) { return {text.data(), text.size()}; }

/// Takes one "key=value"; false if it is none.
bool take(absl::string_view item, Machine &machine) {
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(item, absl::MaxSplits('=', 1));
  const auto [key, value] = parts;
  if (key == "reload" && (value == "fresh" || value == "stale")) {
    machine.reloadIsFresh = value == "fresh";
    return true;
  }
  if (key == "donor" && (value == "taken" || value == "refused")) {
    machine.takesDonors = value == "taken";
    return true;
  }
  int64_t number = 0;
  if (!absl::SimpleAtoi(value, &number) || number < 1)
    return false;
  if (key == "compilations") {
    machine.compilations = number;
    return true;
  }
  // Each second try would fail, too.
  if (key != "failures" || number < 2)
    return false;
  machine.failures = number;
  return true;
}

} // namespace

absl::StatusOr<Behaviours> parseBehaviours(std::string_view text) {
  Behaviours result;
  if (text.empty())
    return result;
  const std::pair<absl::string_view, absl::string_view> parts = absl::StrSplit(viewOf(text), absl::MaxSplits(':', 1));
  absl::StatusOr<Mode> mode = modeFromName({parts.first.data(), parts.first.size()});
  if (!mode.ok())
    return mode.status();
  result.mode = *mode;
  if (parts.first.size() == text.size())
    return result;
  if (result.mode != Mode::Faithful)
    return absl::InvalidArgumentError(
        absl::StrCat("mode '", viewOf(text), "': only faithful mode is of a machine; leave out ':", parts.second, "'"));
  for (absl::string_view item : absl::StrSplit(parts.second, ','))
    if (!take(item, result.machine))
      return absl::InvalidArgumentError(
          absl::StrCat("mode '", viewOf(text), "': '", item,
                       "' is none of reload=fresh, reload=stale, donor=taken, donor=refused, compilations=N from 1 and "
                       "failures=N from 2"));
  return result;
}

} // namespace ane::rt::emulator
