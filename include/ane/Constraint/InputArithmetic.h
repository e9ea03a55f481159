//===- InputArithmetic.h - what is computed from inputs alone --*- C++ -*-===//
//
// Angles of rotary positions, time steps, indices and masks are arithmetic on a model's inputs: a few ops on a few
// numbers, which may be large. fp16 holds numbers beyond 2,048 by steps of 2 and more, so that a sine of them, their
// fraction or a comparison is wrong. The CPU computes them in the model's type at no cost. A state is an input of the
// next run: a counter in fp16 stops at 2,048.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_INPUTARITHMETIC_H
#define ANE_CONSTRAINT_INPUTARITHMETIC_H

#include "ane/IR/ANE.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ane {

/// Which values of a function are arithmetic on its inputs. They are found once; later changes of the function are not
/// seen. Of a program there are none: what an argument of it holds may be an activation.
class InputArithmetic {
public:
  explicit InputArithmetic(Operation *root);

  /// Whether `value` is an input or a state, or has elements of such (keepsElements).
  bool isInput(Value value) const { return found.lookup(value) == Input; }
  /// Whether `value` is computed from inputs and constants by arithmetic alone, of one op or more: no product of more
  /// than a few terms, no norm, softmax, ... is in between.
  bool isComputed(Value value) const { return found.lookup(value) == Computed; }
  bool contains(Value value) const { return found.lookup(value) != None; }

private:
  enum Kind { None, Input, Computed };
  Kind kindOf(Operation *op) const;

  llvm::DenseMap<Value, Kind> found;
};

/// Whether the elements of an op's results are those of its operands, up to their signs, or 0: where fp16 holds these,
/// it holds those.
bool keepsElements(Operation *op);

/// Whether an op makes a jump of a small difference: it rounds, compares or searches floats that are wider than fp16,
/// or takes their signs.
bool isStep(Operation *op);

/// Whether a step looks at the signs of its operands alone, which rounding keeps but for numbers below fp16's smallest.
bool looksAtSigns(Operation *op);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_INPUTARITHMETIC_H
