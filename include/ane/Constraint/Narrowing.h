//===- Narrowing.h - constants that fp16 does not hold ---------*- C++ -*-===//
//
// A constant beyond 65,504 is no number of fp16, and one below 2^-24 is 0 there. What becomes of it is said by an
// ane.narrow with its reason, or the op runs on the CPU (C213): no pass rounds it in passing.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_NARROWING_H
#define ANE_CONSTRAINT_NARROWING_H

#include "ane/Constraint/ValueRanges.h"
#include <optional>

namespace mlir::ane {

/// An operand of an op: a constant that fp16 does not hold, the largest magnitude of which is `magnitude`.
struct Narrowing {
  unsigned operand;
  double magnitude;
  /// The reason for which a program may hold it otherwise, of ane.narrow; empty where there is none.
  StringRef because;
};

/// The constants of an op that fp16 does not hold, the narrowed ones not among them. `ranges` are of the function.
SmallVector<Narrowing> narrowingsOf(Operation *op, ValueRanges &ranges);

/// A parameter of an op, an attribute, that fp16 does not hold and a program can't do without.
/// A bound of a clip beyond fp16 is none in a program.
std::optional<NamedAttribute> unheldParameter(Operation *op);

/// Whether a value is only divided by, also behind ops that keep what is near 0 near 0.
bool isDivisor(Value value);

/// Whether a value is made of squares: a power, an energy or a magnitude, or bands of them. fp16 makes them 0 below
/// 6e-8.
bool isOfSquares(Value value);

/// Whether fp16 holds a number to a part in 256.
bool isHeld(double value);

/// A power of two 2^e, so that fp16 holds 2^e and `magnitude` / 2^e; nothing where there is none.
std::optional<int> scaleOf(double magnitude);

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_NARROWING_H
