//===- records.cpp - Hardware facts, as the linter reads them -------------===//

#include "runtime/lint/records.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ane::rt::lint {
namespace {
/// A value of a limit for tiers, routes, and programs that must run on macOS
/// `osTo` or earlier (0: on any); the first that matches holds.
struct LimitRow {
  size_t limit;
  uint32_t tiers, routes;
  int64_t osTo, value;
};
#define ANE_LINT_TABLES
#include "runtime/lint/records.inc"
#undef ANE_LINT_TABLES
} // namespace

absl::Span<const Record> allRecords() { return recordTable; }
absl::Span<const Chip> allChips() { return chipTable; }
absl::Span<const char *const> allRoutes() { return routeNames; }

static std::string switchedOff;
void switchOffForTesting(std::string id) { switchedOff = std::move(id); }
bool isSwitchedOff(const Record &record) { return record.id == switchedOff; }

const Record *findRecord(std::string_view id) {
  for (const Record &record : recordTable)
    if (record.id == id)
      return &record;
  return nullptr;
}

bool isWorstLow(Limit limit) { return worstIsLow[static_cast<size_t>(limit)]; }

int64_t limitOf(Limit limit, unsigned tier, unsigned route, int64_t os) {
  for (const LimitRow &row : limitRows)
    if (row.limit == static_cast<size_t>(limit) && (row.tiers >> tier & 1) && (row.routes >> route & 1) &&
        (!row.osTo || os <= row.osTo))
      return row.value;
  return 0; // never: rows cover all tiers, routes and versions
}

std::optional<Limit> findLimit(std::string_view name) {
  for (size_t i = 0; i < std::size(limitNames); ++i)
    if (name == limitNames[i])
      return static_cast<Limit>(i);
  return std::nullopt;
}

int opsetOf(std::string_view op) {
  for (const auto &[name, opset] : opsetTable)
    if (name == op)
      return opset;
  return 0;
}

double numericOf(Numeric number) { return numericTable[static_cast<size_t>(number)]; }

bool isIn(OpGroup group, std::string_view op) {
  const std::vector<std::string_view> &members = groupTable[static_cast<size_t>(group)];
  return std::find(members.begin(), members.end(), op) != members.end();
}

std::string_view symptomText(Symptom symptom) {
  switch (symptom) {
  case Symptom::Reject:
    return "the engine's compiler refuses the program";
  case Symptom::EvalFail:
    return "the program loads and its evaluation fails";
  case Symptom::WrongResult:
    return "the program runs and its values are wrong, without an error";
  case Symptom::Crash:
    return "the process or the compile service dies";
  case Symptom::Slow:
    return "the program runs slower than it should";
  case Symptom::Inaccurate:
    return "values are less accurate than they could be";
  }
  return "";
}

} // namespace ane::rt::lint
