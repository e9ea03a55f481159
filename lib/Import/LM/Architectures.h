//===- Architectures.h - families of language models -----------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_LM_ARCHITECTURES_H
#define ANE_LIB_IMPORT_LM_ARCHITECTURES_H

#include "Description.h"

namespace mlir::ane::lm {

/// A file of Architectures/ each.
struct Architecture {
  StringLiteral modelType; // of config.json
  /// The fields that its configuration class in transformers has, as JSON, with what each means where config.json
  /// leaves it out. This is the one place that says so; test/Python/test_language_model_defaults.py compares it with
  /// the class.
  StringLiteral fields;
  /// The model of a configuration, for a context of that many positions.
  Decoder (*describe)(Config &config, int64_t context) = nullptr;
  Encoder (*describeEncoder)(Config &config) = nullptr;
};
extern const Architecture bert, gemma2, gemma3, gpt2, llama, mistral, phi3, qwen2, qwen3;

ArrayRef<const Architecture *> allArchitectures();
/// Those of an architecture; Hugging Face's files may have fields of other architectures, which transformers ignores.
void setFields(Config &config, const Architecture &architecture, bool isHuggingFace);

//===-- what many configurations have in common ------------------------------===//

/// Fields that all configurations may have, and that say nothing about logits.
void ignoreCommonFields(Config &config);
/// Sizes under the names of most families.
Sizes readSizes(Config &config);
Activation readActivation(Config &config, StringRef field);
/// Layers of Llama's shape and names: gated, norms before both parts, three projections.
Decoder llamaShape(Config &config, const Sizes &sizes, bool attentionBias, bool outputBias, bool mlpBias);
/// Gemma's layers: zero-centred norms before and behind both parts, a scaled embedding.
Decoder gemmaShape(Config &config);
/// One window of all layers, if there is one.
void readWindow(Config &config, Decoder &decoder);
/// Qwen's windows, of the layers from max_window_layers on.
void readQwenWindows(Config &config, Decoder &decoder);
/// Windows by `layer_types`, or else as `isSliding` says; `missing` says why there is no window.
void readWindows(Config &config, Decoder &decoder, std::optional<int64_t> window,
                 llvm::function_ref<bool(int64_t)> isSliding, StringRef missing = "is null");

} // namespace mlir::ane::lm

#endif // ANE_LIB_IMPORT_LM_ARCHITECTURES_H
