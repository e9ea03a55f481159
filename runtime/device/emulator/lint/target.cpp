//===- target.cpp - The engine that a program is linted for ---------------===//

#include "runtime/device/emulator/lint/target.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

/// "Apple M4 Pro" -> "m4pro".
std::string normalised(std::string_view spelling) {
  std::string result;
  for (char c : spelling)
    if (!absl::ascii_isspace(static_cast<unsigned char>(c)) && c != '-' &&
        c != '_')
      result += absl::ascii_tolower(static_cast<unsigned char>(c));
  return std::string(absl::StripPrefix(result, "apple"));
}

/// "macos15", "macOS 15", "15" -> 15; 0 for anything else.
int64_t osVersion(const std::string &spelling) {
  std::string text = normalised(spelling);
  absl::string_view digits = absl::StripPrefix(text, "macos");
  int64_t version = 0;
  return absl::SimpleAtoi(digits, &version) ? version : 0;
}

} // namespace

absl::StatusOr<Target> Target::parse(const TargetSpelling &spelling) {
  auto wrong = [](const auto &...parts) {
    return absl::InvalidArgumentError(absl::StrCat(parts...));
  };
  Target target;
  std::string name = normalised(spelling.chip.empty() ? "h16" : spelling.chip);
  std::vector<std::string> known;
  for (const Chip &chip : allChips()) {
    known.push_back(chip.name);
    known.insert(known.end(), chip.aliases.begin(), chip.aliases.end());
    if (name == chip.name || std::find(chip.aliases.begin(), chip.aliases.end(),
                                       name) != chip.aliases.end())
      target.chip = &chip;
  }
  if (!target.chip)
    return wrong("unknown target '", spelling.chip,
                 "' (known: ", absl::StrJoin(known, ", "), ")");
  target.tier = target.chip->tier;
  auto routes = allRoutes();
  std::string routeName = spelling.route;
  std::replace(routeName.begin(), routeName.end(), '-', '_');
  auto route = routeName.empty()
                   ? routes.begin()
                   : std::find(routes.begin(), routes.end(), routeName);
  if (route == routes.end())
    return wrong("unknown route '", spelling.route,
                 "' (known: ", absl::StrJoin(routes, ", "), ")");
  target.route = static_cast<unsigned>(route - routes.begin());
  if (!spelling.os.empty())
    target.os = osVersion(spelling.os);
  if (target.os < 11 || (target.os > 15 && target.os < 26) || target.os > 99)
    return wrong("no macOS '", spelling.os,
                 "': a major version, 11 to 15 or 26 and later");
  target.evidence = spelling.strictness == "evidence";
  if (!target.evidence && !spelling.strictness.empty() &&
      spelling.strictness != "catalog")
    return wrong("unknown strictness '", spelling.strictness,
                 "' (known: catalog, evidence)");
  return target;
}

std::string Target::str() const {
  return absl::StrCat(chip->name, " (", allRoutes()[route], ", macOS ", os,
                      ")");
}

static bool matches(const Where &where, unsigned tier, unsigned route) {
  return (where.tiers >> tier & 1) && (where.routes >> route & 1);
}

bool Target::mayApply(const Where &where) const {
  return matches(where, tier, route) && (!where.osTo || os <= where.osTo);
}

bool Target::surelyApplies(const Where &where) const {
  return matches(where, tier, route) && (!where.osFrom || os >= where.osFrom) &&
         !where.osTo;
}

bool Target::includesOS(const Where &where) const {
  return (!where.osFrom || os >= where.osFrom) &&
         (!where.osTo || os <= where.osTo);
}

const RuleCall *Target::ruleOf(const Record &record) const {
  if (std::none_of(record.where.begin(), record.where.end(),
                   [&](const Where &where) { return mayApply(where); }))
    return nullptr;
  if (evidence)
    for (const Lift &lift : record.lifts)
      if (surelyApplies(lift.where))
        return lift.remains.name.empty() ? nullptr : &lift.remains;
  return record.rule.name.empty() ? nullptr : &record.rule;
}

const RuleCall *Target::measuredRuleOf(const Record &record) const {
  bool measured = std::any_of(
      record.where.begin(), record.where.end(), [&](const Where &where) {
        return matches(where, tier, route) && includesOS(where);
      });
  return measured ? ruleOf(record) : nullptr;
}

} // namespace ane::rt::lint
