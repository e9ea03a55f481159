//===- Mistral.cpp - Mistral and Ministral --------------------------------===//
//
// transformers takes a Mistral with layer_types for a Ministral, of which not all layers have the window.
//
//===----------------------------------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

static Decoder describe(Config &config, int64_t context) {
  Decoder decoder = llamaShape(config, readSizes(config), /*attentionBias=*/false, /*outputBias=*/false,
                               /*mlpBias=*/false);
  decoder.activation = readActivation(config, "hidden_act");
  decoder.ropes = {readModelRope(config, {decoder.sizes.headWidth, context, decoder.sizes.positions})};
  std::optional<int64_t> window = config.integerOrNull("sliding_window");
  readWindows(config, decoder, window, [&](int64_t) { return window.has_value(); });
  return decoder;
}

constexpr Architecture mlir::ane::lm::mistral = {"mistral", R"json({
  "vocab_size": 32000,
  "hidden_size": 4096,
  "intermediate_size": 14336,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": 8,
  "head_dim": null,
  "hidden_act": "silu",
  "max_position_embeddings": 131072,
  "rms_norm_eps": 1e-6,
  "bos_token_id": 1,
  "eos_token_id": 2,
  "tie_word_embeddings": false,
  "sliding_window": 4096,
  "layer_types": null,
  "rope_theta": 10000.0,
  "rope_parameters": null,
  "rope_scaling": null,
  "original_max_position_embeddings": null
})json",
                                                 describe};
