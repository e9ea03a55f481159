//===- Names.h - names of inputs, outputs and weights ----------*- C++ -*-===//
#ifndef ANE_LIB_AUTODIFF_NAMES_H
#define ANE_LIB_AUTODIFF_NAMES_H

#include "ane/IR/ANE.h"
#include "ane/Support/NamePatterns.h"
#include <map>

namespace mlir::ane {

/// The function called `name`, of one block; null after an error.
func::FuncOp findFunction(ModuleOp module, StringRef name);

/// The model's names, else input_0, ... and output_0, ...
std::string inputName(func::FuncOp function, unsigned index);
std::string outputName(func::FuncOp function, unsigned index);

/// The output called `name`, or the only one that `isFit` if the name is empty. Errors list the outputs.
FailureOr<unsigned> findOutput(func::FuncOp function, StringRef name, function_ref<bool(RankedTensorType)> isFit,
                               StringRef wanted);

/// Adds inputs behind the others, with names.
SmallVector<Value> addInputs(func::FuncOp function, ArrayRef<std::pair<std::string, Type>> inputs);
/// Returns `values`, too, behind what the function returns, with names.
void addOutputs(func::FuncOp function, ValueRange values, ArrayRef<std::string> names);

/// The constants of the function that are weights of floats with names, by these; in alphabetical order. With
/// `inBlocks` also the bytes of weights that their file has in blocks.
std::map<std::string, SmallVector<Value>> namedWeights(ModuleOp module, func::FuncOp function, bool inBlocks = false);

/// The patterns of a pass's option. Fails after an error.
FailureOr<NamePatterns> parsePatterns(Operation *op, StringRef option, ArrayRef<std::string> texts);
/// Fails, after an error that lists `known`, if one of them has matched no name.
LogicalResult checkUsed(Operation *op, StringRef option, const NamePatterns &patterns, ArrayRef<std::string> known);

} // namespace mlir::ane

#endif // ANE_LIB_AUTODIFF_NAMES_H
