//===- Bert.cpp - BERT, MiniLM --------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

static Encoder describe(Config &config) {
  ignoreCommonFields(config);
  config.ignore({"tie_word_embeddings", "bos_token_id", "eos_token_id", "pad_token_id"});
  config.expect("add_cross_attention", false);
  config.expect("position_embedding_type", "absolute");
  config.expect("is_decoder", false);
  Encoder encoder;
  Sizes &sizes = encoder.sizes;
  sizes.vocabulary = config.integer("vocab_size");
  sizes.width = config.integer("hidden_size");
  sizes.layers = config.integer("num_hidden_layers");
  sizes.heads = sizes.groups = config.integer("num_attention_heads");
  sizes.headWidth = std::max<int64_t>(sizes.width / sizes.heads, 1);
  sizes.hidden = config.integer("intermediate_size");
  sizes.positions = config.integer("max_position_embeddings");
  if (sizes.width % sizes.heads != 0)
    config.fail("num_attention_heads",
                "is " + llvm::Twine(sizes.heads) + ", which does not divide hidden_size, " + llvm::Twine(sizes.width));
  sizes.types = config.integer("type_vocab_size");
  encoder.norm = {Norm::Layer, config.positive("layer_norm_eps")};
  encoder.activation = readActivation(config, "hidden_act");
  encoder.base = "bert.";
  encoder.layers = "encoder.layer.";
  encoder.parts.query = {"attention.self.query", true};
  encoder.parts.key = {"attention.self.key", true};
  encoder.parts.value = {"attention.self.value", true};
  encoder.parts.output = {"attention.output.dense", true};
  encoder.parts.attentionPostNorm = "attention.output.LayerNorm";
  encoder.parts.up = {"intermediate.dense", true};
  encoder.parts.down = {"output.dense", true};
  encoder.parts.mlpPostNorm = "output.LayerNorm";
  encoder.embedding = "embeddings.word_embeddings.weight";
  encoder.positionTable = "embeddings.position_embeddings.weight";
  encoder.typeTable = "embeddings.token_type_embeddings.weight";
  encoder.embeddingNorm = "embeddings.LayerNorm";
  // Other heads, and numbers of positions.
  encoder.ignoredTensors = {"*pooler.dense.weight", "*pooler.dense.bias", "cls.*", "*embeddings.position_ids"};
  return encoder;
}

constexpr Architecture mlir::ane::lm::bert = {"bert",
                                              R"json({
  "vocab_size": 30522,
  "hidden_size": 768,
  "num_hidden_layers": 12,
  "num_attention_heads": 12,
  "intermediate_size": 3072,
  "hidden_act": "gelu",
  "max_position_embeddings": 512,
  "type_vocab_size": 2,
  "layer_norm_eps": 1e-12,
  "is_decoder": false,
  "add_cross_attention": false
})json",
                                              nullptr, describe};
