//===- Training.h - what a module says of its training ---------*- C++ -*-===//
#ifndef ANE_IR_TRAINING_H
#define ANE_IR_TRAINING_H

#include "ane/IR/DialectAttrs.h"

namespace mlir::ane {

/// A dictionary on a module with functions that train, whose fields are those of manifest::Training: strings `step`,
/// `evaluate`, `loss`, `target` (empty: the loss is the model's own), `loss_scale`, `squares` and `add`, integers
/// `ignore`, `classes` and `sweep`, a list of strings `graph`, and `optimizers`, a dictionary of the functions by the
/// names of optimisers. Parameters are the module's `ane.parameter`, in the order of their names.
inline constexpr StringLiteral trainingName = "ane.training";

namespace attrs {

inline constexpr DeclaredAttr<DictionaryAttr> parameters{{"ane.parameters", OnModule, "a dictionary",
                                                          is<DictionaryAttr>,
                                                          "by names in ane.weights, whether the model's file calls "
                                                          "them parameters; of parameters that it lists and does not "
                                                          "have, a list of the constants that its exporter computed"}};
inline constexpr DeclaredAttr<DictionaryAttr> configuration{
    {"ane.configuration", OnModule, "a dictionary", is<DictionaryAttr>,
     "numbers of the model's configuration, which a checkpoint holds"}};
inline constexpr DeclaredAttr<UnitAttr> stopsGradient{
    {"ane.stops_gradient", OnOp, "unit", is<UnitAttr>, "of ane.identity: its result is taken for a constant"}};
inline constexpr DeclaredAttr<StringAttr> parameterName{
    {"ane.parameter_name", OnOp, "a string", is<StringAttr>,
     "of ane.identity: it makes of a constant a parameter of its own, by this name"}};
inline constexpr DeclaredAttr<UnitAttr> statistic{
    {"ane.statistic", OnOp, "unit", is<UnitAttr>,
     "of ane.parameter: a step gives it a new value, and there is no gradient by it"}};
inline constexpr DeclaredAttr<FloatAttr> batchStatistics{
    {"ane.batch_statistics", OnOp, "a float", is<FloatAttr>,
     "of ane.batch_norm: training has the batch's mean and variance, and moves the running ones by this share"}};

} // namespace attrs

/// The output beside a loss that is a mean over some of a batch's targets: their share, by which gradients are
/// multiplied, so that a step of several batches is the mean over all of its targets.
inline constexpr StringLiteral lossShareName = "loss_share";

/// The factor of the loss among a plan's arguments, on which all gradients depend. None if the function is not the step
/// of its module's training.
DenseSet<Value> gradientInputs(func::FuncOp plan);
/// The ops of a plan that depend on it.
DenseSet<Operation *> gradientOps(func::FuncOp plan);
/// The arguments of a plan that are parameters (ane.parameter).
DenseSet<Value> parametersOf(func::FuncOp plan);

} // namespace mlir::ane

#endif // ANE_IR_TRAINING_H
