//===- Adapters.h - what a module says of its adapters ---------*- C++ -*-===//
#ifndef ANE_IR_ADAPTERS_H
#define ANE_IR_ADAPTERS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::ane {

/// A dictionary on a module with low-rank adapters, whose fields are those of manifest::Adapters: integer `rank`, float
/// `alpha`, `targets`, a list of strings, and `pairs`, a list of dictionaries with strings `layer`, `weight`, `a` and
/// `b`, bool `transposed` and integer `heads`.
inline constexpr StringLiteral adaptersName = "ane.adapters";

} // namespace mlir::ane

#endif // ANE_IR_ADAPTERS_H
