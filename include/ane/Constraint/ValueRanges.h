//===- ValueRanges.h - bounds of values ------------------------*- C++ -*-===//
//
// What is known about every element of a tensor, from the ops that compute it alone (ValueRangeOpInterface), by MLIR's
// dataflow solver. Arguments are unbounded, and nothing is assumed about trained weights, so that most values of a
// model have no bound.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_VALUERANGES_H
#define ANE_CONSTRAINT_VALUERANGES_H

#include "ane/Constraint/InputArithmetic.h"
#include "ane/IR/ANE.h"

namespace mlir {
class DataFlowSolver;
}

namespace mlir::ane {

/// Ranges of all values in the regions of an op. They are computed at the first question; from then on the IR must stay
/// as it is.
class ValueRanges {
public:
  explicit ValueRanges(Operation *root);
  ~ValueRanges();

  FloatRange of(Value value);
  /// What of the op, if it is a function, is arithmetic on its inputs.
  const InputArithmetic &inputArithmetic();

private:
  Operation *root;
  std::unique_ptr<DataFlowSolver> solver;
  std::optional<InputArithmetic> arithmetic;
};

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_VALUERANGES_H
