//===- optimizer.h - Updates of weights ---------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TRAIN_OPTIMIZER_H
#define ANE_RUNTIME_TRAIN_OPTIMIZER_H

#include "runtime/format/manifest/manifest.h"
#include "runtime/train/arena.h"
#include "runtime/train/client.h"
#include "runtime/train/parameters.h"
#include <map>
#include <optional>

namespace ane::rt::train {

struct OptimizerOptions {
  std::string kind = "adamw"; ///< "adamw", "sgd", "lion"
  /// Nothing: 0.9 and 0.999 (adamw) or 0.99 (lion); 1e-8; none for sgd.
  std::optional<double> beta1, beta2, epsilon, momentum;
  double decay = 0; ///< of weights, for parameters that decay
};

/// Runs the bundle's functions for an optimiser over arenas, in place. What they compute is in ane/runtime/train.h.
class Optimizer {
public:
  struct Moment {
    std::string name; ///< "first", "second"; "velocity"; "momentum_state"
    Arena values;
  };

  /// InvalidArgument for an unknown kind, a number out of range, or one that the kind does not have.
  static absl::Status check(const OptimizerOptions &options);
  /// What check() says, or NotFound if the bundle has no such optimiser.
  static absl::StatusOr<Optimizer> create(const BundleHandle &bundle, const manifest::Training &training,
                                          const Parameters &parameters, const OptimizerOptions &options);
  const std::string &kind() const { return options.kind; }
  /// Those that its kind has, by name.
  std::map<std::string, double> hyperParameters() const;
  const std::vector<Moment> &moments() const { return momentList; }

  /// Update number `t`, counted from 1: gradients are multiplied by `gradientScale` first.
  /// `isTorn` becomes true when the first weight may have changed, and false once all have.
  absl::Status update(float *weights, const float *gradients, double gradientScale, double rate, int64_t t,
                      bool &isTorn);

private:
  absl::Status findPorts(const manifest::OptimizerPorts &ports);
  absl::Status setScalars(double gradientScale, double rate, bool decays, int64_t t);
  absl::Status bindArrays(float *weights, const float *gradients, int64_t at);

  OptimizerOptions options;
  Function function; ///< ports stay where they are when it moves
  std::vector<const Port *> arrays, scalars, outputs;
  std::vector<Moment> momentList;
  std::vector<ParameterGroup> groups;
  int64_t sweep = 0;
};

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_OPTIMIZER_H
