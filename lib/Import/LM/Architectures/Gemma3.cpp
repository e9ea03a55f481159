//===- Gemma3.cpp - Gemma 3, text -----------------------------------------===//
//
// Layers with a window turn positions faster than those without. The class has an attn_logit_softcapping, which
// transformers does not apply.
//
//===----------------------------------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

static Decoder describe(Config &config, int64_t context) {
  Decoder decoder = gemmaShape(config);
  decoder.parts.queryNorm = "self_attn.q_norm";
  decoder.parts.keyNorm = "self_attn.k_norm";
  int64_t every = config.integer("sliding_window_pattern");
  readWindows(config, decoder, config.integerOrNull("sliding_window"),
              [&](int64_t layer) { return (layer + 1) % every != 0; });
  RopeContext sizes{decoder.sizes.headWidth, context, decoder.sizes.positions};
  double global = config.positive("rope_theta"), local = config.positive("rope_local_base_freq");
  std::optional<Config> both = config.section("rope_parameters"), scaling = config.section("rope_scaling");
  if (both && scaling) {
    Config full = both->section("full_attention").value_or(both->nothing());
    full.expectFieldsOf(*scaling, {{"rope_theta", full.numberOr("rope_theta", global)}});
  }
  // Here transformers reads `rope_type` only.
  if (scaling && scaling->has("type") && !scaling->has("rope_type"))
    scaling->fail("type", "is an old name, which transformers does not read in this model: write rope_type");
  auto ropeOf = [&](llvm::StringRef kind, double theta, std::optional<Config> parameters) {
    if (both)
      parameters = both->section(kind);
    return readRope(parameters.value_or(config.nothing()), theta, std::nullopt, std::nullopt, sizes);
  };
  decoder.ropes = {ropeOf("full_attention", global, scaling), ropeOf("sliding_attention", local, std::nullopt)};
  for (LayerKind &kind : decoder.kinds)
    kind.rope = kind.window > 0 ? 1 : 0;
  return decoder;
}

constexpr Architecture mlir::ane::lm::gemma3 = {"gemma3_text", R"json({
  "vocab_size": 262208,
  "hidden_size": 2304,
  "intermediate_size": 9216,
  "num_hidden_layers": 26,
  "num_attention_heads": 8,
  "num_key_value_heads": 4,
  "head_dim": 256,
  "hidden_activation": "gelu_pytorch_tanh",
  "max_position_embeddings": 131072,
  "rms_norm_eps": 1e-6,
  "bos_token_id": 2,
  "eos_token_id": 1,
  "tie_word_embeddings": true,
  "attention_bias": false,
  "query_pre_attn_scalar": 256,
  "final_logit_softcapping": null,
  "use_bidirectional_attention": false,
  "sliding_window": 4096,
  "sliding_window_pattern": 6,
  "layer_types": null,
  "rope_theta": 1000000.0,
  "rope_local_base_freq": 10000.0,
  "rope_parameters": null,
  "rope_scaling": null
})json",
                                                describe};
