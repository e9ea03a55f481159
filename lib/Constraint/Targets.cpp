//===- Targets.cpp - tables of chips, limits and numbers ------------------===//

#include "ane/Constraint/Targets.h"
#include <iterator>

namespace mlir::ane {

#include "ane/Constraint/Targets.cpp.inc"

const ChipInfo *chipsBegin() { return std::begin(chipTable); }
const ChipInfo *chipsEnd() { return std::end(chipTable); }

long long limitOf(Limit limit, Tier tier, unsigned route) {
  return limitTable[static_cast<unsigned>(limit)][static_cast<unsigned>(tier)][route];
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
