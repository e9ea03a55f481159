//===- Architectures.h - families of language models -----------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_LM_ARCHITECTURES_H
#define ANE_LIB_IMPORT_LM_ARCHITECTURES_H

#include "Description.h"

namespace mlir::ane::lm {

/// A file of Architectures/ each: the model of a configuration, for a context of that many positions.
Decoder describeLlama(Config &config, int64_t context);
Decoder describeGPT2(Config &config, int64_t context);
Decoder describeQwen2(Config &config, int64_t context);
Decoder describeQwen3(Config &config, int64_t context);
Decoder describeGemma2(Config &config, int64_t context);
Decoder describeGemma3(Config &config, int64_t context);
Decoder describePhi3(Config &config, int64_t context);

Encoder describeBert(Config &config);

struct Architecture {
  StringRef modelType; // of config.json
  Decoder (*describe)(Config &config, int64_t context);
};
ArrayRef<Architecture> allArchitectures();

//===-- what many configurations have in common ------------------------------===//

/// Fields that all configurations may have, and that say nothing about logits.
void ignoreCommonFields(Config &config);
/// Sizes under the names of most families.
Sizes readSizes(Config &config);
Activation readActivation(Config &config, StringRef field, StringRef otherwise);
/// Layers of Llama's shape and names: gated, norms before both parts, three projections.
Decoder llamaShape(Config &config, const Sizes &sizes, bool attentionBias, bool outputBias, bool mlpBias);
/// Gemma's layers: zero-centred norms before and behind both parts, a scaled embedding.
Decoder gemmaShape(Config &config);
/// Qwen's windows, of the layers from max_window_layers on.
void readQwenWindows(Config &config, Decoder &decoder);
/// Windows by `layer_types`, or else as `isSliding` says.
void readWindows(Config &config, Decoder &decoder, int64_t window, llvm::function_ref<bool(int64_t)> isSliding);

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_ARCHITECTURES_H
