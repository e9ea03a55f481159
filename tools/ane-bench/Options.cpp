//===- Options.cpp - the command line of ane-bench ------------------------===//

#include "Options.h"
#include "ane/runtime/ane.h"
#include <benchmark/benchmark.h>
#include <charconv>
#include <climits>
#include <iostream>

using namespace ane::bench;

static const char usage[] =
    "usage: ane-bench [options] NAME=BUNDLE... | [options] --compile=NAME=MODEL... | llm ... | train ...\n"
    "  --threads=N             of the CPU code (default 2)\n"
    "  --rounds=N              blocks of runs that each side gets (default 10)\n"
    "  --sessions=N            measure N sessions of a bundle at once, each on a thread of its own, too\n"
    "  --device=NAME           with sessions also on this device, such as ane\n"
    "  --peer=COMMAND          another program that runs the same model; NAME is appended\n"
    "  --inputs=DIR            DIR/NAME/INPUT.bin are the inputs (default .)\n"
    "  --compile=NAME=MODEL    measure the compilation of a model\n"
    "  --compiler=COMMAND      with which (default ane-compile)\n"
    "  llm [options] MODEL.gguf...     language models beside a peer; see ane-bench llm --help\n"
    "  train [options] MODEL...        steps of training beside peers; see ane-bench train --help\n"
    "  --version, --help\n"
    "and those of Google Benchmark: --benchmark_filter=REGEX, --benchmark_out=FILE, "
    "--benchmark_format=console|json|csv, ...\n";

std::string ane::bench::readNumber(const std::string &key, const std::string &value, int &number) {
  auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc() && end == value.data() + value.size() && number > 0)
    return "";
  return key + ": is '" + value + "', expected a number from 1 to " + std::to_string(INT_MAX);
}

/// Reads NAME=PATH.
static std::string readPair(const std::string &key, const std::string &value, std::vector<Options::Bundle> &pairs) {
  size_t equals = value.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == value.size())
    return key + ": is '" + value + "', expected NAME=PATH";
  pairs.push_back({value.substr(0, equals), value.substr(equals + 1)});
  return "";
}

std::string Options::take(const std::string &argument) {
  if (argument.empty() || argument[0] != '-')
    return readPair("bundle", argument, bundles);
  size_t equals = argument.find('=');
  std::string key = argument.substr(0, equals);
  std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  if (key == "--threads")
    return readNumber(key, value, threads);
  if (key == "--rounds")
    return readNumber(key, value, rounds);
  if (key == "--sessions")
    return readNumber(key, value, sessions);
  if (key == "--compile")
    return readPair(key, value, models);
  for (auto [name, text] :
       {std::pair("--peer", &peer), {"--inputs", &inputs}, {"--compiler", &compiler}, {"--device", &device}})
    if (key == name) {
      *text = value;
      return equals == std::string::npos ? key + " needs a value: " + key + "=..." : "";
    }
  return "unknown argument '" + argument + "'";
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
    if (std::string wrong = take(argv[i]); !wrong.empty()) {
      std::cerr << "ane-bench: error: " << wrong << "; see --help\n";
      return 2;
    }
  if (bundles.empty() && models.empty()) {
    std::cerr << "ane-bench: error: nothing to measure: give NAME=BUNDLE or --compile=NAME=MODEL\n";
    return 2;
  }
  return std::nullopt;
}
