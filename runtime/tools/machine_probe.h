//===- machine_probe.h - What only a machine can answer ---------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_MACHINE_PROBE_H
#define ANE_RUNTIME_TOOLS_MACHINE_PROBE_H

#include "runtime/tools/run_options.h"
#include <ostream>

namespace ane::rt::tools {

/// What is wrong with the value of --probe, if anything.
absl::Status checkProbe(const std::string &name);

/// Tries the device and prints a JSON object: what mac-check.sh collects.
absl::Status runProbe(const RunOptions &options, std::ostream &out);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_MACHINE_PROBE_H
