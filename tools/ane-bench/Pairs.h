//===- Pairs.h - two ways to run a model, side by side ---------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_PAIRS_H
#define ANE_TOOLS_BENCH_PAIRS_H

#include <benchmark/benchmark.h>
#include <string>
#include <vector>

namespace ane::bench {

struct Options {
  int threads = 2;
  /// Blocks of runs that each side gets.
  int rounds = 10;
  /// Shell command that serves as the peer (Peer.h); the model's name is appended. None: no comparison with a peer.
  std::string peer;
  /// inputs/NAME/INPUT.bin.
  std::string inputs = ".";
  struct Bundle {
    std::string name, path;
  };
  std::vector<Bundle> bundles;
  /// Compiler, with its options, and the models whose compilation is timed.
  std::string compiler = "ane-compile";
  std::vector<Bundle> models;

  /// Takes one argument of the command line; false if it is none of these.
  bool parse(const std::string &argument);
};

/// Ends a benchmark with an error, and with it the tool.
void fail(benchmark::State &state, const std::string &error);
/// Whether one has failed.
bool hasFailed();

/// Registers for each bundle `cpu_vs_peer/NAME` and `emulator_vs_cpu/NAME`. The time of a benchmark is the first side's
/// mean; counters hold minimum and median of both sides in milliseconds, and their ratios (first over second).
void registerPairs(const Options &options);

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_PAIRS_H
