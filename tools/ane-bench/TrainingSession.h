//===- TrainingSession.h - steps of a training bundle ----------*- C++ -*-===//
#ifndef ANE_TOOLS_BENCH_TRAININGSESSION_H
#define ANE_TOOLS_BENCH_TRAININGSESSION_H

#include "ane/runtime/train.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ane::bench {

/// Trains a language model on the CPU by AdamW at a constant rate of 3e-4, with a decay of 0.1 of matrices and
/// gradients clipped to norm 1. Methods return what went wrong, or nothing.
class TrainingSession {
public:
  TrainingSession() = default;
  ~TrainingSession();
  TrainingSession(const TrainingSession &) = delete;
  TrainingSession &operator=(const TrainingSession &) = delete;

  std::string open(const std::string &bundle, int threads);
  /// The next step, on tokens that depend on its number alone: nanoseconds of loss and gradients, and of the update.
  std::string step(double &backward, double &update);
  double lastLoss() const { return loss; }
  uint64_t parameters() const;

private:
  void drawTokens();

  ane_trainer *trainer = nullptr;
  size_t idsInput = 0, targetInput = 0;
  int64_t batch = 0, sequence = 0;
  std::vector<int32_t> ids;
  std::vector<int64_t> target;
  uint64_t done = 0; ///< steps
  double loss = 0;
};

} // namespace ane::bench

#endif // ANE_TOOLS_BENCH_TRAININGSESSION_H
