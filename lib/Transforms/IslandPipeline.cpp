//===- IslandPipeline.cpp - how an island is formed and legalised ---------===//

#include "ane/Transforms/IslandPipeline.h"
#include "ane/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace mlir::ane;

std::optional<PartitionSetting> PartitionSetting::parse(StringRef text) {
  PartitionSetting setting;
  constexpr int64_t mostChunks = 4096;
  if (text.consume_front("chunks:")) {
    bool wrong = text.getAsInteger(10, setting.chunks) || setting.chunks < 1 || setting.chunks > mostChunks;
    return wrong ? std::nullopt : std::optional(setting);
  }
  if (text == "layer-halves")
    setting.engineParts = "no-attention";
  else if (text == "layer-thirds")
    setting.engineParts = "linears";
  else if (text == "layer-sixths")
    setting.engineParts = "training-static";
  else if (text == "layer-tenths")
    setting.engineParts = "training-dynamic";
  else if (text == "layers")
    setting.layers = 1;
  else if (text != "auto")
    return std::nullopt;
  return setting;
}

void mlir::ane::buildIslandFormation(OpPassManager &pm, int64_t chunks, int64_t layers, int64_t constants) {
  pm.addPass(createPlace());
  pm.addPass(createNarrowConstants());
  pm.addPass(createFormIslands({chunks, layers, constants}));
}

void mlir::ane::buildIslandPipeline(OpPassManager &pm, bool surfaces) {
  pm.addPass(createBeginEngineBody());
  pm.addPass(createLegalizeNarrowing());
  pm.addPass(createFoldBatchNorm());
  pm.addPass(createLegalizeNorms());
  pm.addPass(createLegalizeGelu());
  pm.addPass(createLegalizeRope());
  pm.addPass(createDecomposeComposites());
  pm.addPass(createLegalizePatches());
  pm.addPass(createLegalizePools());
  pm.addPass(createLegalizeConcat());
  pm.addPass(createLegalizeAttention());
  pm.addPass(createLegalizeTile());
  pm.addPass(createLegalizeBlocks());
  pm.addPass(createLegalizeRank());
  pm.addPass(createLegalizeSums());
  pm.addPass(createLegalizeSpellings());
  // After what combines constants: they are computed in the model's precision and rounded once.
  pm.addPass(createLegalizeDType());
  pm.addPass(createLegalizeLinear());
  pm.addPass(createLegalizeDepth());
  pm.addPass(createLegalizeConvBias());
  pm.addPass(createCanonicalizeEngine());
  pm.addPass(createLegalizeLayout());
  pm.addPass(createLowerRelayouts());
  pm.addPass(createCanonicalizeEngine());
  pm.addPass(createUnifyEngine());
  // After what would join again what they keep apart.
  pm.addPass(createLegalizeSlices());
  pm.addPass(createLegalizeNeighbours());
  pm.addPass(createLegalizeConstants());
  // Last: what it adds at the border is needless to everybody but the engine.
  if (surfaces)
    pm.addPass(createLegalizeIO());
}
