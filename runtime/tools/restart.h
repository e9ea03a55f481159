//===- restart.h - A process that can compile no more -----------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_RESTART_H
#define ANE_RUNTIME_TOOLS_RESTART_H

#include "runtime/core/bundle.h"

namespace ane::rt::tools {

/// The engine takes a bounded number of compilations of a process (C05), and keeps what they have made for later
/// processes. If this one could not compile all and nothing else has come of it yet, it begins anew, with the same
/// arguments, to compile the rest. It returns where that is not so, or would not help.
void restartIfCompiledOut(const Bundle &bundle);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_RESTART_H
