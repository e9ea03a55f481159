//===- Targets.cpp - tables of chips, limits and numbers ------------------===//

#include "ane/Constraint/Targets.h"
#include <algorithm>
#include <iterator>

namespace mlir::ane {

namespace {
/// A value of a limit, for programs that must run on macOS `osTo` or earlier (0: on any).
struct LimitRow {
  unsigned limit, tiers, routes;
  long long osTo, value;
};
} // namespace

#include "ane/Constraint/Targets.cpp.inc"

const ChipInfo *chipsBegin() { return std::begin(chipTable); }
const ChipInfo *chipsEnd() { return std::end(chipTable); }

long long limitOf(Limit limit, Tier tier, unsigned route, long long os) {
  if (tier == Tier::Unknown) {
    long long worst = limitOf(limit, Tier(), route, os);
    for (unsigned i = 1; i < static_cast<unsigned>(Tier::Unknown); ++i) {
      long long value = limitOf(limit, static_cast<Tier>(i), route, os);
      worst = limitInfo(limit).worstIsLow ? std::min(worst, value) : std::max(worst, value);
    }
    return worst;
  }
  auto row = std::find_if(std::begin(limitRows), std::end(limitRows), [&](const LimitRow &row) {
    return row.limit == static_cast<unsigned>(limit) && (row.tiers >> static_cast<unsigned>(tier) & 1) &&
           (row.routes >> route & 1) && (!row.osTo || os <= row.osTo);
  });
  return row->value; // ane-tblgen refuses limits that leave something out
}
const LimitInfo &limitInfo(Limit limit) { return limitInfos[static_cast<unsigned>(limit)]; }
const FactInfo &factInfo(Fact fact) { return factInfos[static_cast<unsigned>(fact)]; }
std::optional<long long> factOf(Fact fact, const ChipInfo &chip) {
  long long value = factTable[static_cast<unsigned>(fact)][chip.index];
  return value == unknownFact ? std::nullopt : std::optional(value);
}
double numericOf(Numeric numeric) { return numericTable[static_cast<unsigned>(numeric)]; }
const char *tierName(Tier tier) { return tierNames[static_cast<unsigned>(tier)]; }

} // namespace mlir::ane
