//===- Qwen2.cpp - Qwen2 and Qwen2.5 --------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

Decoder mlir::ane::lm::describeQwen2(Config &config, int64_t context) {
  Decoder decoder = llamaShape(config, readSizes(config), /*attentionBias=*/true, /*outputBias=*/false,
                               /*mlpBias=*/false);
  decoder.activation = readActivation(config, "hidden_act", "silu");
  decoder.ropes = {readModelRope(config, {decoder.sizes.headWidth, context, decoder.sizes.positions})};
  readQwenWindows(config, decoder);
  return decoder;
}
