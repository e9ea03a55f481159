//===- FloatRange.h - bounds of floats -------------------------*- C++ -*-===//
//
// What is known about every element of a tensor, which the emulator's linter asks about, too. Ops say how theirs follow
// from their operands' in field `range` of the record (ValueRangeOpInterface).
//
//===----------------------------------------------------------------------===//
#ifndef ANE_IR_FLOATRANGE_H
#define ANE_IR_FLOATRANGE_H

#include "mlir/IR/Value.h"
#include "mlir/Support/LLVM.h"
#include "runtime/support/float_range.h"

namespace mlir::ane {

using ::ane::rt::FloatRange;
using ::ane::rt::larger;
using ::ane::rt::smaller;
using ::ane::rt::unite;

/// Takes the range of a result.
using SetFloatRange = function_ref<void(Value, FloatRange)>;

} // namespace mlir::ane

#endif // ANE_IR_FLOATRANGE_H
