//===- Pairs.h - two ways to run a model, side by side ---------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_PAIRS_H
#define ANE_TOOLS_BENCH_PAIRS_H

#include "Options.h"
#include <benchmark/benchmark.h>

namespace ane::bench {

/// Ends a benchmark with an error, and with it the tool.
void fail(benchmark::State &state, const std::string &error);
/// Whether one has failed.
bool hasFailed();

/// Registers for each bundle `cpu_vs_peer/NAME` and `emulator_vs_cpu/NAME`. The time of a benchmark is the first side's
/// mean; counters hold minimum and median of both sides in milliseconds, and their ratios (first over second).
void registerPairs(const Options &options);

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_PAIRS_H
