//===- tool_process.cpp - A tool and its process --------------------------===//
#include "runtime/tools/tool_process.h"
#include "runtime/tools/interrupts.h"
#include "runtime/tools/run_report.h"
#include <csignal>
#include <unistd.h>

namespace ane::rt::tools {

int onProcessStreams(const char *tool, bool json, const std::function<int(const Streams &)> &run, int lost) {
  // Who reads only the beginning of what is printed wants the files all the
  // same: a write to a closed pipe is to fail, not to end the process.
  std::signal(SIGPIPE, SIG_IGN);
  InputBuffer input(STDIN_FILENO, *Interrupts::flag());
  OutputBuffer output(STDOUT_FILENO), errors(STDERR_FILENO);
  std::istream in(&input);
  std::ostream out(&output), err(&errors);
  int code = run({in, out, err, isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0});
  err.flush();
  out.flush();
  if (output.status().ok())
    return code;
  printMessage("error", output.status().message(), json, err, tool);
  err.flush(); // there is nobody left to tell
  return lost;
}

} // namespace ane::rt::tools
