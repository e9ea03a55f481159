//===- Targets.h - chips, tiers and limits as plain C++ --------*- C++ -*-===//
//
// Generated from Targets.td and Limits.td. Uses no LLVM type.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_TARGETS_H
#define ANE_CONSTRAINT_TARGETS_H

namespace mlir::ane {

#include "ane/Constraint/TargetEnums.h.inc"

/// One target of Apple's compiler. Lists of names end with a null pointer.
struct ChipInfo {
  const char *target;              // the compiler's name: h13 ... h18
  Tier tier;
  int engineSets;                  // per die; not the marketed number of cores
  const char *silicon;
  const char *const *aliases;      // marketing names, lower case, without spaces
  const char *const *runtimeNames; // what devices report
  bool hasMIL;                     // false: the engine has no path for MIL programs
  bool selectable;                 // false: a reference inside the compiler
  const char *note;
};

/// What a limit is about, for messages.
struct LimitInfo {
  const char *name, *unit, *summary;
};

/// All chips, in the order of the records.
const ChipInfo *chipsBegin();
const ChipInfo *chipsEnd();

/// `route` is the index of the route (0 = in_memory). Tier::Unknown gives the worst of all tiers.
long long limitOf(Limit limit, Tier tier, unsigned route);
const LimitInfo &limitInfo(Limit limit);
double numericOf(Numeric numeric);
const char *tierName(Tier tier);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_TARGETS_H
