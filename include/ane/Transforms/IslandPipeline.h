//===- IslandPipeline.h - how an island is formed and legalised -*- C++ -*-===//
#ifndef ANE_TRANSFORMS_ISLANDPIPELINE_H
#define ANE_TRANSFORMS_ISLANDPIPELINE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace mlir {
class OpPassManager;
namespace ane {

/// Into which programs a model is cut: words of `--partition`.
struct PartitionSetting {
  llvm::StringRef engineParts = "all"; // as of ane-place-layers
  int64_t chunks = 1;
  int64_t layers = 0; // most of a program; 0: only as many as records allow

  /// `auto`, `layers`, `layer-halves`, `layer-thirds`, `layer-sixths`, `layer-tenths` or `chunks:N`; nothing for other
  /// words.
  static std::optional<PartitionSetting> parse(llvm::StringRef text);
};

/// Groups the ops of a plan into islands without engine bodies, at least `chunks` of them, with at most `layers` each
/// unless it is 0, and at most `constants`, if constants count (C224). On func.func.
void buildIslandFormation(OpPassManager &pm, int64_t chunks = 1, int64_t layers = 0, int64_t constants = 0);

/// Fills and legalises the engine region of an island; without `surfaces` it keeps the shapes of its inputs and
/// outputs. On ane.island.
void buildIslandPipeline(OpPassManager &pm, bool surfaces = true);

} // namespace ane
} // namespace mlir

#endif // ANE_TRANSFORMS_ISLANDPIPELINE_H
