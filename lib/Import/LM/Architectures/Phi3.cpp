//===- Phi3.cpp - Phi-3 ---------------------------------------------------===//
//
// Queries, keys and values are one product, gate and up another.
//
//===----------------------------------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

static Decoder describe(Config &config, int64_t context) {
  Sizes sizes = readSizes(config);
  Decoder decoder = llamaShape(config, sizes, false, false, false);
  decoder.activation = readActivation(config, "hidden_act");
  int64_t queries = sizes.heads * sizes.headWidth, keys = sizes.groups * sizes.headWidth, all = queries + 2 * keys;
  decoder.parts.query = {"self_attn.qkv_proj", false, false, 0, all};
  decoder.parts.key = {"self_attn.qkv_proj", false, false, queries, all};
  decoder.parts.value = {"self_attn.qkv_proj", false, false, queries + keys, all};
  decoder.parts.gate = {"mlp.gate_up_proj", false, false, 0, 2 * sizes.hidden};
  decoder.parts.up = {"mlp.gate_up_proj", false, false, sizes.hidden, 2 * sizes.hidden};
  decoder.ropes = {readModelRope(config, {sizes.headWidth, context, sizes.positions, /*isLong=*/true},
                                 config.positive("partial_rotary_factor"))};
  readWindow(config, decoder);
  return decoder;
}

constexpr Architecture mlir::ane::lm::phi3 = {"phi3", R"json({
  "vocab_size": 32064,
  "hidden_size": 3072,
  "intermediate_size": 8192,
  "num_hidden_layers": 32,
  "num_attention_heads": 32,
  "num_key_value_heads": null,
  "head_dim": null,
  "hidden_act": "silu",
  "max_position_embeddings": 4096,
  "original_max_position_embeddings": 4096,
  "rms_norm_eps": 1e-5,
  "bos_token_id": 1,
  "eos_token_id": 32000,
  "tie_word_embeddings": false,
  "sliding_window": null,
  "rope_theta": 10000.0,
  "partial_rotary_factor": 1.0,
  "rope_parameters": null,
  "rope_scaling": null
})json",
                                              describe};
