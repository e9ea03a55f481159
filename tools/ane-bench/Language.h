//===- Language.h - language models beside a peer --------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_LANGUAGE_H
#define ANE_TOOLS_BENCH_LANGUAGE_H

#include "Turns.h"

namespace ane::bench {

/// Models are GGUF files.
struct LanguageOptions : TurnOptions {
  /// Tokens of a prompt, of an answer, and for how many there is room.
  int prefill = 256, decode = 64, context = 512;
  /// Sequences that decode together; 0: that is not measured.
  int parallel = 0;
  /// Shell command that serves as the peer (Peer.h): arguments MODEL THREADS CONTEXT PREFILL DECODE are appended;
  /// requests are 'p', a prompt at the beginning, and 'd', an answer behind it, token by token. None: no comparison.
  std::string peer;
  /// What the compiler makes of rows that meet weights in blocks (its --activations).
  std::string activations = "exact";
  /// The type of its caches (its --kv-cache).
  std::string cacheType = "fp32";

  /// Takes one argument. Returns what is wrong with it, or "".
  std::string take(const std::string &argument);
};

/// `ane-bench llm`, whose arguments begin at argv[2]: compiles each model, and measures prefill and decode of its CPU
/// code, those of the peer on the same file, decode of several sequences together, and how fast memory of the weights'
/// size is read; all in turns. Prints medians and ratios. Returns the exit code.
int runLanguageModels(int argc, char **argv);

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_LANGUAGE_H
