//===- GPT2.cpp - GPT-2 ---------------------------------------------------===//

#include "../Architectures.h"
#include <cmath>

using namespace mlir::ane::lm;

static Decoder describe(Config &config, int64_t context) {
  ignoreCommonFields(config);
  config.ignore({"summary_activation", "summary_first_dropout", "summary_proj_to_labels", "summary_type",
                 "summary_use_proj", "n_ctx"});
  config.expect("add_cross_attention", false);
  for (auto [name, other] :
       {std::pair("n_embd", "hidden_size"), std::pair("n_layer", "num_hidden_layers"),
        std::pair("n_head", "num_attention_heads"), std::pair("n_positions", "max_position_embeddings")})
    config.alias(name, other);
  Decoder decoder;
  Sizes &sizes = decoder.sizes;
  sizes.vocabulary = config.integer("vocab_size");
  sizes.width = config.integer("n_embd");
  sizes.layers = config.integer("n_layer");
  sizes.heads = sizes.groups = config.integer("n_head");
  sizes.headWidth = std::max<int64_t>(sizes.width / sizes.heads, 1);
  sizes.hidden = config.integerOrNull("n_inner").value_or(4 * sizes.width);
  sizes.positions = config.integer("n_positions");
  if (sizes.width % sizes.heads != 0)
    config.fail("n_head", "does not divide n_embd");
  decoder.norm = {Norm::Layer, config.positive("layer_norm_epsilon")};
  decoder.activation = readActivation(config, "activation_function");
  decoder.base = "transformer.";
  decoder.layers = "h.";
  LayerParts &parts = decoder.parts;
  parts.attentionNorm = "ln_1";
  parts.mlpNorm = "ln_2";
  parts.query = {"attn.c_attn", true, true, 0, 3 * sizes.width};
  parts.key = {"attn.c_attn", true, true, sizes.width, 3 * sizes.width};
  parts.value = {"attn.c_attn", true, true, 2 * sizes.width, 3 * sizes.width};
  parts.output = {"attn.c_proj", true, true};
  parts.up = {"mlp.c_fc", true, true};
  parts.down = {"mlp.c_proj", true, true};
  decoder.embedding = "wte.weight";
  decoder.positionTable = "wpe.weight";
  decoder.finalNorm = "ln_f";
  if (!config.flag("tie_word_embeddings"))
    decoder.head = {"lm_head"};
  double scale = config.flag("scale_attn_weights") ? 1 / std::sqrt(double(sizes.headWidth)) : 1;
  bool byLayer = config.flag("scale_attn_by_inverse_layer_idx");
  for (int64_t layer = 0; layer < sizes.layers; ++layer)
    decoder.kinds.push_back({0, -1, byLayer ? scale / double(layer + 1) : scale});
  // Causal masks, which old checkpoints keep.
  decoder.ignoredTensors = {"*.attn.bias", "*.attn.masked_bias"};
  return decoder;
}

constexpr Architecture mlir::ane::lm::gpt2 = {"gpt2", R"json({
  "vocab_size": 50257,
  "n_positions": 1024,
  "n_embd": 768,
  "n_layer": 12,
  "n_head": 12,
  "n_inner": null,
  "activation_function": "gelu_new",
  "layer_norm_epsilon": 1e-5,
  "bos_token_id": 50256,
  "eos_token_id": 50256,
  "tie_word_embeddings": true,
  "scale_attn_weights": true,
  "scale_attn_by_inverse_layer_idx": false,
  "add_cross_attention": false
})json",
                                              describe};
