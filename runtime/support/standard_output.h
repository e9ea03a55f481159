//===- standard_output.h - The end of what a tool prints --------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_STANDARD_OUTPUT_H
#define ANE_RUNTIME_SUPPORT_STANDARD_OUTPUT_H

#include <csignal>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace ane::rt {

/// A write to a reader that has gone away fails, and ends nothing. First of all
/// in a tool.
inline void writeToClosedPipes() { std::signal(SIGPIPE, SIG_IGN); }

/// Whether all that stdio was given is written, or its reader has gone away:
/// it has had what it wanted.
inline bool endStandardOutput() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  pollfd end{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&end, 1, 0) == 1 && (end.revents & POLLERR);
}

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_STANDARD_OUTPUT_H
