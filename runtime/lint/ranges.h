//===- ranges.h - Bounds of values ----------------------------------------===//
//
// What is known about every element of a value from the text alone: arguments
// and weight files are unbounded. The rules are the records' (ranges.inc), the
// walk is the linter's own: it has statements of any text, and no MLIR.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_EMULATOR_LINT_RANGES_H
#define ANE_RUNTIME_DEVICE_EMULATOR_LINT_RANGES_H

#include "runtime/lint/view.h"
#include "runtime/support/float_range.h"

namespace ane::rt::lint {

FloatRange rangeOf(const FunctionView &view, const mil::Value &value);
/// Of the only result of a statement.
FloatRange rangeOf(const FunctionView &view, const mil::Statement &statement);

} // namespace ane::rt::lint

#endif // ANE_RUNTIME_DEVICE_EMULATOR_LINT_RANGES_H
