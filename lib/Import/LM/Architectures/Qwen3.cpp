//===- Qwen3.cpp - Qwen3 --------------------------------------------------===//
//
// Queries and keys of each head are normalised before they are turned.
//
//===----------------------------------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

Decoder mlir::ane::lm::describeQwen3(Config &config, int64_t context) {
  bool bias = config.flag("attention_bias", false);
  Sizes sizes = readSizes(config);
  sizes.headWidth = config.integerOr("head_dim", 128);
  Decoder decoder = llamaShape(config, sizes, bias, bias, /*mlpBias=*/false);
  decoder.parts.queryNorm = "self_attn.q_norm";
  decoder.parts.keyNorm = "self_attn.k_norm";
  decoder.activation = readActivation(config, "hidden_act", "silu");
  decoder.ropes = {readModelRope(config, {sizes.headWidth, context, sizes.positions})};
  readQwenWindows(config, decoder);
  return decoder;
}
