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
#include "ane/runtime/ane.h"
#include <iostream>

static const char usage[] = "usage: ane-bench [options] NAME=BUNDLE... | [options] --compile=NAME=MODEL...\n"
                            "  --threads=N             of the CPU code (default 2)\n"
                            "  --rounds=N              blocks of runs that each side gets (default 10)\n"
                            "  --peer=COMMAND          another program that runs the same model; NAME is appended\n"
                            "  --inputs=DIR            DIR/NAME/INPUT.bin are the inputs (default .)\n"
                            "  --compile=NAME=MODEL    measure the compilation of a model\n"
                            "  --compiler=COMMAND      with which (default ane-compile)\n"
                            "  --version, --help\n"
                            "and those of Google Benchmark: --benchmark_filter=REGEX, --benchmark_out=FILE, "
                            "--benchmark_format=console|json|csv, ...\n";

int main(int argc, char **argv) {
  // Before Google Benchmark sees its own.
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--version") {
      std::cout << "ane-bench (Anemone) " ANE_VERSION ", LLVM " ANE_LLVM_VERSION "\n";
      return 0;
    }
    if (argument == "--help") {
      std::cout << usage;
      return 0;
    }
  }
  benchmark::Initialize(&argc, argv);
  ane::bench::Options options;
  for (int i = 1; i < argc; ++i)
    if (!options.parse(argv[i])) {
      std::cerr << "ane-bench: error: unknown argument '" << argv[i] << "'\n" << usage;
      return 2;
    }
  if (options.bundles.empty() && options.models.empty()) {
    std::cerr << "ane-bench: error: nothing to measure: give NAME=BUNDLE or --compile=NAME=MODEL\n";
    return 2;
  }
  ane::bench::registerPairs(options);
  ane::bench::registerCompilations(options);
  benchmark::RunSpecifiedBenchmarks();
  return ane::bench::hasFailed();
}
