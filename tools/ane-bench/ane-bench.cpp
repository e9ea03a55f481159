//===- ane-bench.cpp - speed of bundles beside a peer ---------------------===//
//
//   ane-bench --threads=2 --peer='python peer.py' --inputs=DIR NAME=BUNDLE... [--benchmark_out=FILE ...]
//   ane-bench llm --peer='python llama_peer.py' MODEL.gguf...
//   ane-bench --compiler=bin/ane-compile --compile=NAME=MODEL...
//
// Measures each bundle's CPU code against the peer's run of the same model, the emulator against the CPU code, and the
// time that the compiler takes. scripts/bench/run.py prepares the models and writes the table; for language models that
// is scripts/bench/llm.py.
//
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Language.h"
#include "runtime/support/standard_output.h"

#include <iostream>

static int run(int argc, char **argv) {
  if (argc > 1 && argv[1] == std::string("llm"))
    return ane::bench::runLanguageModels(argc, argv);
  ane::bench::Options options;
  if (std::optional<int> code = options.parse(argc, argv))
    return *code;
  ane::bench::registerPairs(options);
  ane::bench::registerCompilations(options);
  benchmark::RunSpecifiedBenchmarks();
  return ane::bench::hasFailed();
}

int main(int argc, char **argv) {
  ane::rt::writeToClosedPipes();
  int code = run(argc, argv);
  std::cout.flush();
  if (ane::rt::endStandardOutput())
    return code;
  std::cerr << "ane-bench: error: can't write the output\n";
  return EXIT_FAILURE;
}
