//===- Compile.h - time to compile models ----------------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_COMPILE_H
#define ANE_TOOLS_BENCH_COMPILE_H

#include "Pairs.h"

namespace ane::bench {

/// Registers `compile/NAME` for each of `options.models`. The time of a benchmark is the processor time of the
/// compiler, which other programs on the machine hardly change.
void registerCompilations(const Options &options);

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_COMPILE_H
