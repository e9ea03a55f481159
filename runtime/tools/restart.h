//===- restart.h - A process that can compile no more -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_RESTART_H
#define ANE_RUNTIME_TOOLS_RESTART_H

#include "runtime/core/program_cache.h"
#include "runtime/tools/command_line.h"
#include <string>

namespace ane::rt::tools {

/// The option --at-compile-limit.
void declareAtCompileLimit(CommandLine &line, std::string &what);
absl::Status checkAtCompileLimit(const std::string &what);

/// The engine takes a bounded number of compilations of a process (C05), and keeps what they have made for later
/// processes. If this one, of which nothing else has come yet, could not compile all, it begins anew, with the same
/// arguments, to compile the rest; once more as long as each process leaves fewer than the one before. It returns where
/// that is not so.
void restartIfCompiledOut(const std::string &device, const ProgramCache &cache);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_RESTART_H
