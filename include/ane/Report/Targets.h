//===- Targets.h - the list of targets -------------------------*- C++ -*-===//
#ifndef ANE_REPORT_TARGETS_H
#define ANE_REPORT_TARGETS_H

#include "ane/Constraint/TargetEnv.h"

namespace mlir::ane {

/// One line for each chip: name, tier, clock, main limits on the route and macOS, names.
std::string targetsText(Route route, int64_t os);
/// All that the records say: every limit on the route and macOS, every fact (null where no source tells), evidence.
std::string targetsJSON(Route route, int64_t os);

} // namespace mlir::ane

#endif // ANE_REPORT_TARGETS_H
