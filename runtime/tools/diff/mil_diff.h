//===- mil_diff.h - ane-mil-diff --------------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_DIFF_MIL_DIFF_H
#define ANE_RUNTIME_TOOLS_DIFF_MIL_DIFF_H

#include "runtime/tools/streams.h"
#include <string>
#include <vector>

namespace ane::rt::tools {

/// The whole tool, without its process. The result is the exit code, as diff has it: 0 equal, 1 different, 2 trouble.
int aneMilDiff(const std::vector<std::string> &arguments, const Streams &streams);

/// The same on the streams of the process.
int aneMilDiffProcess(const std::vector<std::string> &arguments);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_DIFF_MIL_DIFF_H
