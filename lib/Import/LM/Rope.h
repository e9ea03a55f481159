//===- Rope.h - rotary positions --------------------------------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_LM_ROPE_H
#define ANE_LIB_IMPORT_LM_ROPE_H

#include "Config.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlir::ane::lm {

/// The angle of pair i at position p is p * frequencies[i]; sines and cosines are multiplied by `factor`.
struct Rope {
  std::vector<float> frequencies;
  double factor = 1;
  /// Pairs are neighbours, 2 i and 2 i + 1, and not i and i + half.
  bool isInterleaved = false;

  /// Elements at a head's beginning that are turned; the others stay.
  int64_t width() const { return 2 * int64_t(frequencies.size()); }
  /// [positions, width / 2]: cosines, or sines.
  DenseElementsAttr table(bool isSine, int64_t positions, MLIRContext *context) const;
};

/// What a rule of scaling refers to.
struct RopeContext {
  int64_t headWidth;
  int64_t context;      // positions that are compiled for
  int64_t maxPositions; // max_position_embeddings
  bool isLong = false;  // the only rule of scaling is longrope, under its older names, too
};

/// Reads the rules `default`, `linear`, `llama3`, `yarn` and `longrope`. `parameters` is the section with rope_type and
/// its factors, `theta` the base unless the section has one; `partial` is how much of a head is turned unless the
/// section says it, and nothing of a model that turns all of it. Rules whose angles depend on the length that a text
/// has reached
/// (`dynamic`; `longrope` beyond the original length) are problems of the configuration.
Rope readRope(Config parameters, double theta, std::optional<double> partial, std::optional<int64_t> original,
              const RopeContext &context);

/// The same of a model with one rule for all layers, in both forms that configurations have: `rope_parameters`, or
/// `rope_theta` and `rope_scaling` beside each other.
Rope readModelRope(Config &config, const RopeContext &context, std::optional<double> partial = std::nullopt);

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_ROPE_H
