//===- FloatRanges.h - bounds of values ------------------------*- C++ -*-===//
//
// What is known about every element of a tensor, from the ops that compute it alone (ValueRangeOpInterface). Arguments
// are unbounded, and nothing is assumed about trained weights, so that most values of a model have no bound.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_CONSTRAINT_FLOATRANGES_H
#define ANE_LIB_CONSTRAINT_FLOATRANGES_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

FloatRange rangeOf(Value value);

} // namespace mlir::ane

#endif // ANE_LIB_CONSTRAINT_FLOATRANGES_H
