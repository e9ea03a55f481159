//===- Gemma2.cpp - Gemma 2 -----------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

static Decoder describe(Config &config, int64_t context) {
  Decoder decoder = gemmaShape(config);
  decoder.scoreCap = config.positiveOrNull("attn_logit_softcapping").value_or(0);
  decoder.ropes = {readModelRope(config, {decoder.sizes.headWidth, context, decoder.sizes.positions})};
  readWindows(config, decoder, config.integerOrNull("sliding_window"), [](int64_t layer) { return layer % 2 == 0; });
  return decoder;
}

constexpr Architecture mlir::ane::lm::gemma2 = {"gemma2", R"json({
  "vocab_size": 256000,
  "hidden_size": 2304,
  "intermediate_size": 9216,
  "num_hidden_layers": 26,
  "num_attention_heads": 8,
  "num_key_value_heads": 4,
  "head_dim": 256,
  "hidden_activation": "gelu_pytorch_tanh",
  "max_position_embeddings": 8192,
  "rms_norm_eps": 1e-6,
  "bos_token_id": 2,
  "eos_token_id": 1,
  "tie_word_embeddings": true,
  "attention_bias": false,
  "query_pre_attn_scalar": 256,
  "attn_logit_softcapping": 50.0,
  "final_logit_softcapping": 30.0,
  "use_bidirectional_attention": null,
  "sliding_window": 4096,
  "layer_types": null,
  "rope_theta": 10000.0,
  "rope_parameters": null,
  "rope_scaling": null,
  "original_max_position_embeddings": null
})json",
                                                describe};
