//===- Matchers.h - questions about constants ------------------*- C++ -*-===//
#ifndef ANE_IR_MATCHERS_H
#define ANE_IR_MATCHERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"

namespace mlir::ane {

/// The one value of a splat constant; nothing for other attributes and for integers beyond 2^53.
std::optional<double> getSplat(Attribute attr);

/// Whether `attr` is a splat of exactly `value`; the sign of a zero counts.
bool isSplatOf(Attribute attr, double value);

/// The integers of a small constant, if it is one.
std::optional<SmallVector<int64_t>> getIntegers(Attribute attr);
std::optional<SmallVector<int64_t>> getIntegers(Value value);

} // namespace mlir::ane

#endif // ANE_IR_MATCHERS_H
