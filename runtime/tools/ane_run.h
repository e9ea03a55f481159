//===- ane_run.h - ane-run ---------------------------------------*- C++
//-*-===//
#ifndef ANE_RUNTIME_TOOLS_ANE_RUN_H
#define ANE_RUNTIME_TOOLS_ANE_RUN_H

#include <ostream>
#include <string>
#include <vector>

namespace ane::rt::tools {

/// The whole tool, without its process: results to `out`, notes and errors to
/// `err`, exit code as the result.
int aneRun(const std::vector<std::string> &arguments, std::ostream &out, std::ostream &err);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_ANE_RUN_H
