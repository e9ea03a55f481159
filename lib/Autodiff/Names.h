//===- Names.h - names of inputs, outputs and weights ----------*- C++ -*-===//
#ifndef ANE_LIB_AUTODIFF_NAMES_H
#define ANE_LIB_AUTODIFF_NAMES_H

#include "ane/IR/ANE.h"
#include "llvm/Support/GlobPattern.h"
#include <list>
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
/// Replaces what the function returns. `names` may be empty.
void setOutputs(func::FuncOp function, ValueRange values, ArrayRef<std::string> names);

/// The constants of the function that are weights of floats with names, by these; in alphabetical order.
std::map<std::string, SmallVector<Value>> namedWeights(ModuleOp module, func::FuncOp function);

/// Patterns of an option, each of which has to match something.
class NamePatterns {
public:
  /// Fails, after an error, if one is no pattern.
  LogicalResult parse(Operation *op, StringRef option, ArrayRef<std::string> texts);
  bool match(StringRef name);
  /// Fails, after an error that lists `known`, if a pattern has matched no name.
  LogicalResult checkUsed(Operation *op, ArrayRef<std::string> known) const;

private:
  struct Pattern {
    std::string text;
    llvm::GlobPattern glob; // refers to the text
    bool used = false;
  };
  std::string option;
  std::list<Pattern> patterns; // which don't move
};

} // namespace mlir::ane

#endif // ANE_LIB_AUTODIFF_NAMES_H
