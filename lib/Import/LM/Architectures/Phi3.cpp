//===- Phi3.cpp - Phi-3 ---------------------------------------------------===//
//
// Queries, keys and values are one product, gate and up another.
//
//===----------------------------------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

Decoder mlir::ane::lm::describePhi3(Config &config, int64_t context) {
  Sizes sizes = readSizes(config);
  Decoder decoder = llamaShape(config, sizes, false, false, false);
  decoder.activation = readActivation(config, "hidden_act", "silu");
  int64_t queries = sizes.heads * sizes.headWidth, keys = sizes.groups * sizes.headWidth, all = queries + 2 * keys;
  decoder.parts.query = {"self_attn.qkv_proj", false, false, 0, all};
  decoder.parts.key = {"self_attn.qkv_proj", false, false, queries, all};
  decoder.parts.value = {"self_attn.qkv_proj", false, false, queries + keys, all};
  decoder.parts.gate = {"mlp.gate_up_proj", false, false, 0, 2 * sizes.hidden};
  decoder.parts.up = {"mlp.gate_up_proj", false, false, sizes.hidden, 2 * sizes.hidden};
  decoder.ropes = {readModelRope(config, {sizes.headWidth, context, sizes.positions})};
  int64_t window = config.integerOr("sliding_window", 0);
  readWindows(config, decoder, window, [&](int64_t) { return window > 0; });
  return decoder;
}
