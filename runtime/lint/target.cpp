//===- target.cpp - The engine that a program is linted for ---------------===//

#include "runtime/lint/target.h"

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

#include <algorithm>

namespace ane::rt::lint {
namespace {

/// "Apple M4 Pro" -> "m4pro".
std::string normalised(std::string_view spelling) {
  std::string result;
  for (char c : spelling)
    if (!absl::ascii_isspace(static_cast<unsigned char>(c)) && c != '-' && c != '_')
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

bool isCalled(const Chip &chip, const std::string &name) {
  return name == chip.name || std::find(chip.aliases.begin(), chip.aliases.end(), name) != chip.aliases.end();
}

/// The chip of a normalised name, or null.
const Chip *findChip(const std::string &name) {
  for (const Chip &chip : allChips())
    if (isCalled(chip, name))
      return &chip;
  return nullptr;
}

std::string knownChips() {
  std::vector<std::string> known;
  for (const Chip &chip : allChips()) {
    known.push_back(chip.name);
    known.insert(known.end(), chip.aliases.begin(), chip.aliases.end());
  }
  return absl::StrJoin(known, ", ");
}

} // namespace

absl::StatusOr<Target> Target::parse(const TargetSpelling &spelling) {
  auto wrong = [](const auto &...parts) { return absl::InvalidArgumentError(absl::StrCat(parts...)); };
  Target target;
  std::string names = spelling.chip.empty() ? "h16" : spelling.chip;
  for (absl::string_view part : absl::StrSplit(names, ',')) {
    std::string name = normalised(std::string(part));
    if (name == "anym") {
      for (const Chip &chip : allChips())
        if (chip.mSeries)
          target.chips.push_back(&chip);
      continue;
    }
    const Chip *found = findChip(name);
    if (!found)
      return wrong("unknown target '", part, "' (known: ", knownChips(), ", any-m)");
    target.chips.push_back(found);
  }
  // Each once, in the order of the records.
  std::sort(target.chips.begin(), target.chips.end());
  target.chips.erase(std::unique(target.chips.begin(), target.chips.end()), target.chips.end());
  auto routes = allRoutes();
  std::string routeName = spelling.route;
  std::replace(routeName.begin(), routeName.end(), '-', '_');
  auto route = routeName.empty() ? routes.begin() : std::find(routes.begin(), routes.end(), routeName);
  if (route == routes.end())
    return wrong("unknown route '", spelling.route, "' (known: ", absl::StrJoin(routes, ", "), ")");
  target.route = static_cast<unsigned>(route - routes.begin());
  if (!spelling.os.empty())
    target.os = osVersion(spelling.os);
  if (target.os < 11 || (target.os > 15 && target.os < 26) || target.os > 99)
    return wrong("no macOS '", spelling.os, "': a major version, 11 to 15 or 26 and later");
  target.evidence = spelling.strictness == "evidence";
  if (!target.evidence && !spelling.strictness.empty() && spelling.strictness != "catalog")
    return wrong("unknown strictness '", spelling.strictness, "' (known: catalog, evidence)");
  return target;
}

int64_t Target::limit(Limit limit) const {
  int64_t worst = limitOf(limit, chips.front()->tier, route, os);
  for (const Chip *chip : chips) {
    int64_t value = limitOf(limit, chip->tier, route, os);
    worst = isWorstLow(limit) ? std::min(worst, value) : std::max(worst, value);
  }
  return worst;
}

std::vector<size_t> Target::cells() const {
  std::vector<size_t> indices;
  for (const Chip *chip : chips)
    indices.push_back(size_t(chip->tier) * kRoutes + route);
  return indices;
}

static void appendName(std::string *out, const Chip *chip) { out->append(chip->name); }

std::string Target::withoutMIL() const {
  std::vector<const Chip *> without;
  for (const Chip *chip : chips)
    if (!chip->hasMIL)
      without.push_back(chip);
  return absl::StrJoin(without, ", ", appendName);
}

std::string Target::str() const {
  constexpr size_t shown = 4;
  std::string names = absl::StrJoin(chips, ", ", appendName);
  if (chips.size() > shown)
    names = absl::StrCat(chips.front()->name, " ... ", chips.back()->name, ", ", chips.size(), " chips");
  return absl::StrCat(names, " (", allRoutes()[route], ", macOS ", os, ")");
}

bool Target::matches(const Where &where) const {
  return (where.routes >> route & 1) &&
         std::any_of(chips.begin(), chips.end(), [&](const Chip *chip) { return where.tiers >> chip->tier & 1; });
}

bool Target::mayApply(const Where &where) const {
  return matches(where) && (!where.osTo || os <= where.osTo) && (where.ahead || os >= where.osFrom);
}

const Lift *Target::liftOf(const Record &record, unsigned tier) const {
  for (const Lift &lift : record.lifts) {
    const Where &where = lift.where;
    if ((where.tiers >> tier & 1) && (where.routes >> route & 1) && (!where.osFrom || os >= where.osFrom) &&
        !where.osTo)
      return &lift;
  }
  return nullptr;
}

bool Target::includesOS(const Where &where) const {
  return (!where.osFrom || os >= where.osFrom) && (!where.osTo || os <= where.osTo);
}

const RuleCall *Target::ruleOf(const Record &record) const {
  if (isSwitchedOff(record) ||
      std::none_of(record.where.begin(), record.where.end(), [&](const Where &where) { return mayApply(where); }))
    return nullptr;
  const RuleCall *rule = &record.rule;
  if (evidence && std::all_of(chips.begin(), chips.end(), [&](const Chip *c) { return liftOf(record, c->tier); })) {
    // Of one record all lifts leave the same, or nothing.
    for (const Chip *chip : chips)
      if (rule = &liftOf(record, chip->tier)->remains; !rule->name.empty())
        break;
  }
  return rule->name.empty() ? nullptr : rule;
}

bool Target::includes(const Record &record) const {
  return std::any_of(record.where.begin(), record.where.end(),
                     [&](const Where &where) { return matches(where) && includesOS(where); });
}

const RuleCall *Target::measuredRuleOf(const Record &record) const {
  return includes(record) ? ruleOf(record) : nullptr;
}

bool Target::wasSeen(const Record &record) const {
  return includes(record) && (record.rule.name.empty() ? !isSwitchedOff(record) : ruleOf(record) != nullptr);
}

} // namespace ane::rt::lint
