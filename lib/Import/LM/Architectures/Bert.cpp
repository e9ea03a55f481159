//===- Bert.cpp - BERT, MiniLM --------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

Encoder mlir::ane::lm::describeBert(Config &config) {
  ignoreCommonFields(config);
  config.ignore({"tie_word_embeddings"});
  config.expect("position_embedding_type", "absolute");
  config.expect("is_decoder", false);
  Encoder encoder;
  encoder.sizes = readSizes(config);
  encoder.sizes.types = config.integer("type_vocab_size");
  encoder.norm = {Norm::Layer, config.numberOr("layer_norm_eps", 1e-12)};
  encoder.activation = readActivation(config, "hidden_act", "gelu");
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
