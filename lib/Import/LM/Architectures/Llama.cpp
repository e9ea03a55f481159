//===- Llama.cpp - Llama, SmolLM2, Stories --------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

static Decoder describe(Config &config, int64_t context) {
  bool bias = config.flag("attention_bias"), mlpBias = config.flag("mlp_bias");
  Decoder decoder = llamaShape(config, readSizes(config), bias, bias, mlpBias);
  decoder.activation = readActivation(config, "hidden_act");
  decoder.ropes = {readModelRope(config, {decoder.sizes.headWidth, context, decoder.sizes.positions})};
  return decoder;
}

constexpr Architecture mlir::ane::lm::llama = {"llama", R"json({
  "vocab_size": 32000,
  "hidden_size": 4096,
  "intermediate_size": 11008,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": null,
  "head_dim": null,
  "hidden_act": "silu",
  "max_position_embeddings": 2048,
  "rms_norm_eps": 1e-6,
  "bos_token_id": 1,
  "eos_token_id": 2,
  "tie_word_embeddings": false,
  "attention_bias": false,
  "mlp_bias": false,
  "rope_theta": 10000.0,
  "rope_parameters": null,
  "rope_scaling": null,
  "original_max_position_embeddings": null
})json",
                                               describe};
