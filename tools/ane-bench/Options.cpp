//===- Options.cpp - the command line of ane-bench ------------------------===//

#include "Options.h"
#include "ane/runtime/ane.h"
#include <benchmark/benchmark.h>
#include <iostream>

using namespace ane::bench;

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

bool Options::take(const std::string &argument) {
  size_t equals = argument.find('=');
  if (equals == std::string::npos || equals == 0)
    return false;
  std::string key = argument.substr(0, equals), value = argument.substr(equals + 1);
  if (key == "--threads")
    threads = std::atoi(value.c_str());
  else if (key == "--rounds")
    rounds = std::atoi(value.c_str());
  else if (key == "--peer")
    peer = value;
  else if (key == "--inputs")
    inputs = value;
  else if (key == "--compiler")
    compiler = value;
  else if (key == "--compile" && value.find('=') != std::string::npos)
    models.push_back({value.substr(0, value.find('=')), value.substr(value.find('=') + 1)});
  else if (key[0] != '-')
    bundles.push_back({key, value});
  else
    return false;
  return threads > 0 && rounds > 0;
}

std::optional<int> Options::parse(int argc, char **argv) {
  // Before Google Benchmark sees its own.
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--version")
      std::cout << "ane-bench (Anemone) " ANE_VERSION ", LLVM " ANE_LLVM_VERSION "\n";
    else if (argument == "--help")
      std::cout << usage;
    else
      continue;
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  for (int i = 1; i < argc; ++i)
    if (!take(argv[i])) {
      std::cerr << "ane-bench: error: unknown argument '" << argv[i] << "'\n" << usage;
      return 2;
    }
  if (bundles.empty() && models.empty()) {
    std::cerr << "ane-bench: error: nothing to measure: give NAME=BUNDLE or --compile=NAME=MODEL\n";
    return 2;
  }
  return std::nullopt;
}
