//===- tool_process.h - A tool and its process ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_TOOL_PROCESS_H
#define ANE_RUNTIME_TOOLS_TOOL_PROCESS_H

#include "runtime/tools/streams.h"
#include <functional>

namespace ane::rt::tools {

/// Runs a tool on the streams of the process; the result is its exit code, or `lost` if what it printed was lost.
int onProcessStreams(const char *tool, bool json, const std::function<int(const Streams &)> &run, int lost = 1);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_TOOL_PROCESS_H
