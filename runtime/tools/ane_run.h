//===- ane_run.h - ane-run --------------------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_ANE_RUN_H
#define ANE_RUNTIME_TOOLS_ANE_RUN_H

#include "runtime/tools/streams.h"
#include <string>
#include <vector>

namespace ane::rt::tools {

/// The whole tool, without its process. The result is the exit code: 0, 1 for what
/// a file or a device did wrong, 2 for a command line that makes no sense, 128 and the
/// signal for what SIGINT, SIGTERM or SIGHUP has ended.
int aneRun(const std::vector<std::string> &arguments, const Streams &streams);

/// The same on the streams of the process.
int aneRunProcess(const std::vector<std::string> &arguments);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_ANE_RUN_H
