//===- Gemma3.cpp - Gemma 3, text -----------------------------------------===//
//
// Layers with a window turn positions faster than those without.
//
//===----------------------------------------------------------------------===//

#include "../Architectures.h"

using namespace mlir::ane::lm;

Decoder mlir::ane::lm::describeGemma3(Config &config, int64_t context) {
  Decoder decoder = gemmaShape(config);
  decoder.parts.queryNorm = "self_attn.q_norm";
  decoder.parts.keyNorm = "self_attn.k_norm";
  decoder.scoreCap = config.numberOr("attn_logit_softcapping", 0);
  decoder.logitCap = config.numberOr("final_logit_softcapping", 0);
  int64_t every = config.integerOr("sliding_window_pattern", config.integerOr("_sliding_window_pattern", 6));
  readWindows(config, decoder, config.integerOr("sliding_window", 4096),
              [&](int64_t layer) { return (layer + 1) % every != 0; });
  RopeContext sizes{decoder.sizes.headWidth, context, decoder.sizes.positions};
  double global = config.numberOr("rope_theta", 1e6), local = config.numberOr("rope_local_base_freq", 1e4);
  std::optional<Config> both = config.section("rope_parameters"), scaling = config.section("rope_scaling");
  if (both && scaling)
    both->section("full_attention").value_or(both->nothing()).expectFieldsOf(*scaling);
  auto ropeOf = [&](llvm::StringRef kind, double theta, std::optional<Config> parameters) {
    if (both)
      parameters = both->section(kind);
    return parameters ? readRope(*parameters, theta, 1, std::nullopt, sizes) : plainRope(theta, sizes.headWidth);
  };
  decoder.ropes = {ropeOf("full_attention", global, scaling), ropeOf("sliding_attention", local, std::nullopt)};
  for (LayerKind &kind : decoder.kinds)
    kind.rope = kind.window > 0 ? 1 : 0;
  return decoder;
}
