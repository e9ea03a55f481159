//===- Llama2c.h - language models in llama2.c's checkpoints ---*- C++ -*-===//
//
// The header becomes a configuration of a Llama under the names of config.json; what it does not say is fixed in run.c:
// the base of positions, the norms' epsilon, the ids of a text's beginning and end.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_LM_LLAMA2C_H
#define ANE_LIB_IMPORT_LM_LLAMA2C_H

#include "Description.h"
#include "TensorSource.h"

namespace mlir::ane::lm {

/// Whether a file begins as one of these does.
bool isLlama2c(StringRef path);

struct Llama2cModel {
  Config config;
  TensorSource source;

  static llvm::Expected<Llama2cModel> open(StringRef path, MLIRContext *context);
  /// Makes of a description for Hugging Face's files one for this file.
  static void adapt(Decoder &model);
};

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_LLAMA2C_H
