//===- Qwen3.cpp - Qwen3 --------------------------------------------------===//
//
// Queries and keys of each head are normalised before they are turned.
//
//===----------------------------------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

static Decoder describe(Config &config, int64_t context) {
  bool bias = config.flag("attention_bias");
  Sizes sizes = readSizes(config);
  Decoder decoder = llamaShape(config, sizes, bias, bias, /*mlpBias=*/false);
  decoder.parts.queryNorm = "self_attn.q_norm";
  decoder.parts.keyNorm = "self_attn.k_norm";
  decoder.activation = readActivation(config, "hidden_act");
  decoder.ropes = {readModelRope(config, {sizes.headWidth, context, sizes.positions})};
  readQwenWindows(config, decoder);
  return decoder;
}

constexpr Architecture mlir::ane::lm::qwen3 = {"qwen3", R"json({
  "vocab_size": 151936,
  "hidden_size": 4096,
  "intermediate_size": 22016,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": 32,
  "head_dim": 128,
  "hidden_act": "silu",
  "max_position_embeddings": 32768,
  "rms_norm_eps": 1e-6,
  "bos_token_id": null,
  "eos_token_id": null,
  "tie_word_embeddings": false,
  "attention_bias": false,
  "use_sliding_window": false,
  "sliding_window": 4096,
  "max_window_layers": 28,
  "layer_types": null,
  "rope_theta": 10000.0,
  "rope_parameters": null,
  "rope_scaling": null,
  "original_max_position_embeddings": null
})json",
                                               describe};
