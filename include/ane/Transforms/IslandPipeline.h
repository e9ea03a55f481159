//===- IslandPipeline.h - how an island is formed and legalised -*- C++ -*-===//
#ifndef ANE_TRANSFORMS_ISLANDPIPELINE_H
#define ANE_TRANSFORMS_ISLANDPIPELINE_H

namespace mlir {
class OpPassManager;
namespace ane {

/// Groups the ops of a plan into islands without engine bodies. On func.func.
void buildIslandFormation(OpPassManager &pm);

/// Fills and legalises the engine region of an island. On ane.island.
void buildIslandPipeline(OpPassManager &pm);

} // namespace ane
} // namespace mlir

#endif // ANE_TRANSFORMS_ISLANDPIPELINE_H
