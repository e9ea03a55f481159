//===- Gemma2.cpp - Gemma 2 -----------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

Decoder mlir::ane::lm::describeGemma2(Config &config, int64_t context) {
  Decoder decoder = gemmaShape(config);
  decoder.scoreCap = config.numberOr("attn_logit_softcapping", 0);
  decoder.logitCap = config.numberOr("final_logit_softcapping", 0);
  decoder.ropes = {readModelRope(config, {decoder.sizes.headWidth, context, decoder.sizes.positions})};
  readWindows(config, decoder, config.integerOr("sliding_window", 4096), [](int64_t layer) { return layer % 2 == 0; });
  return decoder;
}
