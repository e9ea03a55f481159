//===- ane-bench.cpp - speed of bundles beside a peer ---------------------===//
//
//   ane-bench --threads=2 --peer='python peer.py' --inputs=DIR NAME=BUNDLE... [--benchmark_out=FILE ...]
//   ane-bench --compiler=bin/ane-compile --compile=NAME=MODEL...
//
// Measures each bundle's CPU code against the peer's run of the same model, the emulator against the CPU code, and the
// time that the compiler takes. scripts/bench/run.py prepares the models and writes the table.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include <benchmark/benchmark.h>
#include <iostream>

int main(int argc, char **argv) {
  benchmark::Initialize(&argc, argv);
  ane::bench::Options options;
  for (int i = 1; i < argc; ++i)
    if (!options.parse(argv[i])) {
      std::cerr << "ane-bench: error: unknown argument '" << argv[i]
                << "'; expected --threads=N, --rounds=N, --peer=COMMAND, --inputs=DIR, --compiler=COMMAND, "
                   "--compile=NAME=MODEL or NAME=BUNDLE\n";
      return 1;
    }
  if (options.bundles.empty() && options.models.empty()) {
    std::cerr << "ane-bench: error: nothing to measure: give NAME=BUNDLE or --compile=NAME=MODEL\n";
    return 1;
  }
  ane::bench::registerPairs(options);
  ane::bench::registerCompilations(options);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
