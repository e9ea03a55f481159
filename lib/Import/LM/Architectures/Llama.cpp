//===- Llama.cpp - Llama, SmolLM2, Stories, Mistral -----------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

Decoder mlir::ane::lm::describeLlama(Config &config, int64_t context) {
  bool bias = config.flag("attention_bias", false), mlpBias = config.flag("mlp_bias", false);
  Decoder decoder = llamaShape(config, readSizes(config), bias, bias, mlpBias);
  decoder.activation = readActivation(config, "hidden_act", "silu");
  decoder.ropes = {readModelRope(config, {decoder.sizes.headWidth, context, decoder.sizes.positions})};
  // Mistral's window is of all layers.
  int64_t window = config.integerOr("sliding_window", 0);
  readWindows(config, decoder, window, [&](int64_t) { return window > 0; });
  return decoder;
}
