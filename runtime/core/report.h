//===- report.h - What a run has to say, as JSON -----------------*- C++
//-*-===//
#ifndef ANE_RUNTIME_CORE_REPORT_H
#define ANE_RUNTIME_CORE_REPORT_H

#include "runtime/core/executor.h"
#include <string>

namespace ane::rt {

/// JSON on one line; ane.h documents the keys.
std::string bundleJson(const manifest::Manifest &manifest);
std::string eventsJson(const std::vector<Event> &events);
std::string profileJson(const std::vector<StepProfile> &profile);

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_REPORT_H
