//===- run_outputs.h - Results of a run -------------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_TOOLS_RUN_OUTPUTS_H
#define ANE_RUNTIME_TOOLS_RUN_OUTPUTS_H

#include "runtime/core/executor.h"
#include <string>
#include <vector>

namespace ane::rt::tools {

/// File name for an output: NAME.npy, with an underscore for every character
/// outside of A-Z a-z 0-9 . _ : -
std::string outputFileName(const std::string &name);

/// Writes every output to `dir`, which is made if need be. Either all files are
/// written or, after an error, none.
absl::StatusOr<std::vector<std::string>> writeOutputs(const std::vector<Port> &outputs, const std::string &dir);

/// Elements as numbers.
std::vector<double> elementsOf(const Port &port);

/// Extremes and mean; all are NaN when an element is NaN.
struct Summary {
  double min = 0, max = 0, mean = 0;
  int64_t count = 0;
};
Summary summarize(const std::vector<double> &values);

/// Error of `actual` against `reference`. Where both are NaN or the same
/// infinity there is none; any other NaN or infinity makes the error infinite.
struct Difference {
  double maxAbs = 0, rms = 0;
  double cosine = 1;       ///< 1 when both are zero
  double maxReference = 0; ///< largest magnitude of the reference
  int64_t oneNaN = 0;      ///< places where only one side is NaN
};
Difference compare(const std::vector<double> &actual, const std::vector<double> &reference);

} // namespace ane::rt::tools
#endif // ANE_RUNTIME_TOOLS_RUN_OUTPUTS_H
