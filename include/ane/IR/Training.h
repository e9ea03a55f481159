//===- Training.h - what a module says of its training ---------*- C++ -*-===//
#ifndef ANE_IR_TRAINING_H
#define ANE_IR_TRAINING_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::ane {

/// A dictionary on a module with functions that train, whose fields are those of manifest::Training: strings `step`,
/// `evaluate`, `loss`, `target` (empty: the loss is the model's own), `loss_scale`, `squares` and `add`, integers
/// `ignore` and `sweep`, and `optimizers`, a dictionary of the functions by the names of optimisers. Parameters are the
/// module's `ane.parameter`, in the order of their names.
inline constexpr StringLiteral trainingName = "ane.training";

} // namespace mlir::ane

#endif // ANE_IR_TRAINING_H
