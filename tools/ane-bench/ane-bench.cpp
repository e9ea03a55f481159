//===- ane-bench.cpp - speed of bundles beside a peer ---------------------===//
//   ane-bench --threads=2 --peer='python peer.py' --inputs=DIR NAME=BUNDLE... [--sessions=8] [--benchmark_out=FILE ...]
//   ane-bench llm --peer='python llama_peer.py' MODEL.gguf...
//   ane-bench train --peer='python torch_train_peer.py' MODEL...
//   ane-bench --compiler=bin/ane-compile --compile=NAME=MODEL...
//
// Each bundle's CPU code against the peer's run of the same model, the emulator against the CPU code, several sessions
// of a bundle, and the time that the compiler takes. scripts/bench prepares models and writes tables.
//===----------------------------------------------------------------------===//

#include "Compile.h"
#include "Language.h"
#include "Sessions.h"
#include "Training.h"
#include "runtime/support/standard_output.h"
#include <iostream>

static int run(int argc, char **argv) {
  for (auto [name, command] : {std::pair("llm", &ane::bench::runLanguageModels), {"train", &ane::bench::runTraining}})
    if (argc > 1 && argv[1] == std::string(name))
      return command(argc, argv);
  ane::bench::Options options;
  if (std::optional<int> code = options.parse(argc, argv))
    return *code;
  for (auto add : {&ane::bench::registerPairs, &ane::bench::registerSessions, &ane::bench::registerCompilations})
    add(options);
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
