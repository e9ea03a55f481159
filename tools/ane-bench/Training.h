//===- Training.h - steps of training beside peers -------------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_TRAINING_H
#define ANE_TOOLS_BENCH_TRAINING_H

#include "Turns.h"

namespace ane::bench {

/// Models are language models in Hugging Face's files.
struct TrainingOptions : TurnOptions {
  /// Of a turn.
  int steps = 2;
  /// Examples of a step, and tokens of an example.
  int batch = 1, sequence = 256;
  /// Shell commands that serve as peers (Peer.h), each one program: arguments MODEL THREADS BATCH SEQUENCE are
  /// appended; requests are 's', a step, and 'l', the loss of the last step in place of a time.
  std::vector<std::string> peers;

  /// Takes one argument. Returns what is wrong with it, or "".
  std::string take(const std::string &argument);
};

/// `ane-bench train`, whose arguments begin at argv[2]: compiles each model for training, and takes steps of its CPU
/// code and of the peers in turns, on the same tokens and from the same weights. Prints medians, ratios and peaks of
/// memory. Returns the exit code.
int runTraining(int argc, char **argv);

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_TRAINING_H
