//===- Qwen2.cpp - Qwen2 and Qwen2.5 --------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

static Decoder describe(Config &config, int64_t context) {
  Decoder decoder = llamaShape(config, readSizes(config), /*attentionBias=*/true, /*outputBias=*/false,
                               /*mlpBias=*/false);
  decoder.activation = readActivation(config, "hidden_act");
  decoder.ropes = {readModelRope(config, {decoder.sizes.headWidth, context, decoder.sizes.positions})};
  readQwenWindows(config, decoder);
  return decoder;
}

constexpr Architecture mlir::ane::lm::qwen2 = {"qwen2", R"json({
  "vocab_size": 151936,
  "hidden_size": 4096,
  "intermediate_size": 22016,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": 32,
  "head_dim": null,
  "hidden_act": "silu",
  "max_position_embeddings": 32768,
  "rms_norm_eps": 1e-6,
  "bos_token_id": null,
  "eos_token_id": null,
  "tie_word_embeddings": false,
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
