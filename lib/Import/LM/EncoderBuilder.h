//===- EncoderBuilder.h - functions of an encoder ---------------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_LM_ENCODERBUILDER_H
#define ANE_LIB_IMPORT_LM_ENCODERBUILDER_H

#include "Blocks.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ane::lm {

/// Makes a function that takes `input_ids` and `attention_mask` [1, tokens], whose 0 hides what texts are filled up
/// with, and gives the text's `embedding` [1, width]. With `trainedTexts`, so many of each, and all weights are widened
/// to float32, in which they are trained.
func::FuncOp createEncoder(ModuleOp module, const Encoder &model, TensorSource &source, StringRef name, int64_t tokens,
                           int64_t trainedTexts = 0);

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_ENCODERBUILDER_H
