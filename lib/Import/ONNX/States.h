//===- States.h - inputs and outputs that are states -----------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_STATES_H
#define ANE_LIB_IMPORT_ONNX_STATES_H

#include "Dimensions.h"

namespace mlir::ane::onnx_import {

/// An input of the model that is the value of a state, and the output that is its next one.
struct ModelState {
  std::string input, output;
  TypedAttr initial; // null: zeros
};

/// The states that --state names or, with --states=auto, that names of inputs and outputs show (StatePatterns.inc), in
/// the order of the inputs. An error lists everything that is wrong with the flags.
llvm::Expected<std::vector<ModelState>> findStates(const Model &model, const ONNXImportOptions &options,
                                                   ArrayRef<ModelInput> inputs);

/// The next value of a state of type `type`, from an output that may have grown by what the run has added: along one
/// axis, of which the state keeps the last entries. Null with what is wrong.
Value nextValue(OpBuilder &builder, Location loc, const ModelState &state, RankedTensorType type, Value output,
                std::string &problem);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_STATES_H
