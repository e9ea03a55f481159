//===- RunTimeCheck.h - what a value of a run must be ----------*- C++ -*-===//
//
// Where a model is right for some values of run time only, such as sizes that make up an axis, the value in question is
// one more result of the function, of i64 and without a name. No caller sees it: the runtime compares it with the
// limits (manifest::Check), and a run whose values do not hold is an error.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_CONSTRAINT_RUNTIMECHECK_H
#define ANE_CONSTRAINT_RUNTIMECHECK_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include <optional>
#include <string>

namespace mlir::ane {

/// The attribute of such a result: {subject, max, total?}.
inline constexpr StringLiteral runTimeCheckName = "ane.check";

struct RunTimeCheck {
  std::string subject; // of the message: the node, and what the elements are
  int64_t max;         // of each element; the least is 0
  std::optional<int64_t> total;

  /// What result `index` of a function is checked for, if it is.
  static std::optional<RunTimeCheck> of(FunctionOpInterface function, unsigned index);
  DictionaryAttr toAttribute(MLIRContext *context) const;
};

} // namespace mlir::ane

#endif // ANE_CONSTRAINT_RUNTIMECHECK_H
