//===- TrainingBuilder.h - the function that a decoder is trained by -*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_LM_TRAININGBUILDER_H
#define ANE_LIB_IMPORT_LM_TRAININGBUILDER_H

#include "Blocks.h"
#include "ane/Import/LM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::ane::lm {

/// Adds @main: `input_ids` [B, T], int32, to `logits` [B, T, vocabulary] behind each token. Examples begin at position
/// 0, a token sees those before it in its example, and nothing is kept from run to run. Where documents are apart,
/// `position_ids` [B, T], int32, count from 0 in each, and a token sees its own only. All weights are widened to
/// float32, in which they are trained.
func::FuncOp createTraining(ModuleOp module, const Decoder &model, TensorSource &source, LMTraining training);

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_TRAININGBUILDER_H
