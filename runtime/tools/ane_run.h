//===- ane_run.h - ane-run ---------------------------------------*- C++
//-*-===//
#ifndef ANE_RUNTIME_TOOLS_ANE_RUN_H
#define ANE_RUNTIME_TOOLS_ANE_RUN_H

#include <ostream>
#include <string>
#include <vector>

namespace ane::rt::tools {

/// The whole tool, without its process: results to `out`, notes and errors to
/// `err`. The result is the exit code: 0, 1 for what a file or a device did
/// wrong, 2 for a command line that makes no sense.
int aneRun(const std::vector<std::string> &arguments, std::ostream &out, std::ostream &err);

/// The same on the streams of the process.
int aneRunProcess(const std::vector<std::string> &arguments);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_ANE_RUN_H
