//===- Options.h - the command line of ane-bench ---------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_OPTIONS_H
#define ANE_TOOLS_BENCH_OPTIONS_H

#include <optional>
#include <string>
#include <vector>

namespace ane::bench {

/// Reads a positive number. Returns what is wrong with it, or "".
std::string readNumber(const std::string &key, const std::string &value, int &number);

struct Options {
  int threads = 2;
  /// Blocks of runs that each side gets.
  int rounds = 10;
  /// Of each bundle, measured beside each other (Sessions.h); 0: none.
  int sessions = 0;
  /// Where they are measured beside the CPU and the emulator; "": nowhere.
  std::string device;
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

  /// Reads the command line, of which Google Benchmark takes what is its own. The exit code of a tool that is not to go
  /// on: after --help, --version or an error, which is told.
  std::optional<int> parse(int argc, char **argv);

private:
  /// Takes one argument. Returns what is wrong with it, or "".
  std::string take(const std::string &argument);
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_OPTIONS_H
