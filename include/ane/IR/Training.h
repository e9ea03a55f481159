//===- Training.h - what a module says of its training ---------*- C++ -*-===//
#ifndef ANE_IR_TRAINING_H
#define ANE_IR_TRAINING_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// A dictionary on a module with functions that train, whose fields are those of manifest::Training: strings `step`,
/// `evaluate`, `loss`, `target` (empty: the loss is the model's own), `loss_scale`, `squares` and `add`, integers
/// `ignore` and `sweep`, and `optimizers`, a dictionary of the functions by the names of optimisers. Parameters are the
/// module's `ane.parameter`, in the order of their names.
inline constexpr StringLiteral trainingName = "ane.training";

/// The factor of the loss among a plan's arguments, on which all gradients depend. None if the function is not the step
/// of its module's training.
DenseSet<Value> gradientInputs(func::FuncOp plan);
/// The ops of a plan that depend on it.
DenseSet<Operation *> gradientOps(func::FuncOp plan);
/// The arguments of a plan that are parameters (ane.parameter).
DenseSet<Value> parametersOf(func::FuncOp plan);

} // namespace mlir::ane

#endif // ANE_IR_TRAINING_H
