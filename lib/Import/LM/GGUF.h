//===- GGUF.h - language models in GGUF files ------------------*- C++ -*-===//
//
// The metadata becomes a configuration under the names of config.json, so that an architecture is described once;
// tensors keep the names of the file. Sources: docs/gguf.md of ggml; what llama.cpp's converter changes (gguf-py,
// conversion/): rows of Llama's queries and keys, norms around zero, products that PyTorch keeps transposed.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_IMPORT_LM_GGUF_H
#define ANE_LIB_IMPORT_LM_GGUF_H

#include "Description.h"
#include "TensorSource.h"

namespace mlir::ane::lm {

/// By a file's first bytes.
bool isGGUF(StringRef path);

struct GGUFModel {
  Config config;
  TensorSource source;
  std::vector<float> ropeFactors; // by which frequencies are divided; empty: none
  bool takesFirst = false;        // of an encoder: its embedding is the first token's

  static llvm::Expected<GGUFModel> open(StringRef path, MLIRContext *context);
  /// Makes of a description for Hugging Face's files one for this file.
  void adapt(Decoder &model);
  void adapt(Encoder &model);
};

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_GGUF_H
