//===- Packing.h - operands in the order that tiles read them --*- C++ -*-===//
#ifndef ANE_LIB_HOST_PACKING_H
#define ANE_LIB_HOST_PACKING_H

#include "WeightOperand.h"

namespace mlir::ane::host {

/// Where steps and columns of a computed y lie in memory.
struct PanelSource {
  Value buffer;
  Value first; ///< element of the first step and column
  int64_t stepStride, columnStride;
};

/// Copies `steps` steps and the `valid` first columns of a tile to `panel`, [steps][columns]; the other columns become
/// 0. Where neither steps nor columns are neighbours in memory, element by element.
void packPanel(OpBuilder &b, Location loc, FloatType compute, const WeightOperand &y, const PanelSource &source,
               const RegisterTile &tile, int64_t steps, int64_t valid, Value panel);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_PACKING_H
