//===- Targets.h - chips, tiers and limits as plain C++ --------*- C++ -*-===//
//
// Generated from Targets.td and Limits.td. Uses no LLVM type.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_TARGETS_H
#define ANE_CONSTRAINT_TARGETS_H

#include <optional>
#include <string_view>

namespace mlir::ane {

#include "ane/Constraint/TargetEnums.h.inc"

/// One source about a fact.
struct EvidenceInfo {
  std::string_view source, chip, os, strength;
  bool supports; // or contradicts
  std::string_view note;
};

/// One target of Apple's compiler. Lists of names end with a null pointer.
struct ChipInfo {
  unsigned index;     // in the order of the records
  const char *target; // the compiler's name: h13 ... h18
  Tier tier;
  int engineSets; // per die; not the marketed number of cores
  const char *silicon;
  const char *const *aliases;      // marketing names, lower case, without spaces
  const char *const *runtimeNames; // what devices report
  bool hasMIL;                     // false: the engine has no path for MIL programs
  bool mSeries;                    // in Macs: a member of the set any-m
  int clockMHz, effectiveMHz;      // highest, and after the derating at it; 0 is unknown
  const char *note;
  const EvidenceInfo *evidence; // evidenceCount of them, one at least
  unsigned evidenceCount;
};

/// What a limit is about, for messages.
struct LimitInfo {
  const char *name, *unit, *summary;
  bool worstIsLow; // of two chips the one with the lower value is worse
};

/// A number of the hardware that no pass uses: a memory level, a byte of the compiler's capability table.
struct FactInfo {
  const char *name, *group, *unit, *summary;
};

/// All chips, in the order of the records.
const ChipInfo *chipsBegin();
const ChipInfo *chipsEnd();

/// `route` is the index of the route (0 = in_memory), `os` the oldest macOS that matters. Tier::Unknown gives the worst
/// of all tiers.
long long limitOf(Limit limit, Tier tier, unsigned route, long long os);
const LimitInfo &limitInfo(Limit limit);
double numericOf(Numeric numeric);
const FactInfo &factInfo(Fact fact);
/// Nothing where no source says it.
std::optional<long long> factOf(Fact fact, const ChipInfo &chip);
const char *tierName(Tier tier);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_TARGETS_H
