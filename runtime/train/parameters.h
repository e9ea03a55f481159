//===- parameters.h - Where parameters lie in arenas -------------*- C++ -*-===//
//
// All arenas of a trainer (weights, gradients, moments) have one layout, so that
// an optimiser sees arrays of one length and no tensors. It goes over them in
// sweeps: parts of as many elements as the functions of the bundle take.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_TRAIN_PARAMETERS_H
#define ANE_RUNTIME_TRAIN_PARAMETERS_H

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include <cstdint>
#include <string>
#include <vector>

namespace ane::rt::train {

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  bool decays = true;       ///< weight decay is for it
  bool isBaked = false;     ///< it is a weight of the bundle, and no input
  bool isStatistic = false; ///< a step computes its next value; there is no gradient
  int64_t elements = 0;     ///< of `shape`; set by Parameters
  bool frozen = false;      ///< has no gradient: it keeps its value, or is a statistic; set by Parameters
  int64_t offset = 0;       ///< of its first float in an arena, a multiple of 16; set by Parameters
};

/// Parameters that are updated alike, in whole sweeps. What is no parameter's is zero and stays so.
struct ParameterGroup {
  int64_t begin, end; ///< floats
  bool decays;
};

/// Those that are trained come first, in groups; frozen ones lie behind them.
class Parameters {
public:
  /// `frozen`: patterns of names, with * and ?. InvalidArgument for one that no name matches, or if all are frozen.
  static absl::StatusOr<Parameters> place(std::vector<Parameter> list, const std::vector<std::string> &frozen,
                                          int64_t sweep);

  /// In the order in which they were given.
  const std::vector<Parameter> &all() const { return list; }
  /// Null if there is none of the name.
  const Parameter *find(const std::string &name) const;
  absl::Span<const ParameterGroup> groups() const { return groupList; }
  int64_t sweep() const { return sweepFloats; }
  /// Floats of an arena of gradients or moments, and of weights, which frozen ones have, too.
  int64_t trainedFloats() const { return trained; }
  int64_t weightFloats() const { return total; }

private:
  int64_t put(const std::vector<Parameter *> &parameters, int64_t from);

  std::vector<Parameter> list;
  std::vector<ParameterGroup> groupList;
  int64_t sweepFloats = 0, trained = 0, total = 0;
};

} // namespace ane::rt::train
#endif // ANE_RUNTIME_TRAIN_PARAMETERS_H
