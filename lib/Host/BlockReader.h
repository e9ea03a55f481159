//===- BlockReader.h - vectors of weights in blocks ------------*- C++ -*-===//
#ifndef ANE_LIB_HOST_BLOCKREADER_H
#define ANE_LIB_HOST_BLOCKREADER_H

#include "Kernel.h"

namespace mlir::ane::host {

/// Loads parts of one group of a packed panel (WeightBlocks.h), `lanes` columns at a time from column `first` on.
class BlockReader {
public:
  /// `group`: the byte of `buffer` where the group begins.
  BlockReader(OpBuilder &b, Location loc, const WeightBlocks &blocks, Value buffer, Value group, int64_t lanes)
      : b(b), loc(loc), blocks(blocks), buffer(buffer), group(group), lanes(lanes) {}

  /// The stored integers of steps 2 * pair and 2 * pair + 1: [column][2] of 16 bits.
  Value pair(int64_t number, int64_t first);
  /// The stored integers of the steps stepsOfQuad(number): [column][4] of 8 bits.
  Value quad(int64_t number, int64_t first);
  /// Which four steps come together.
  static SmallVector<int64_t, 4> stepsOfQuad(const WeightBlocks &blocks, int64_t number);
  /// The scales and the offsets of run `run` of the group, widened to f32.
  Value scales(int64_t run, int64_t first) { return floats(run * blocks.scaleBytes(), first); }
  Value offsets(int64_t run, int64_t first) { return floats(blocks.offsetsAt() + run * blocks.scaleBytes(), first); }
  /// Writes the elements of the group as f32 [step][WeightBlocks::columns] from element `at` of `panel` on.
  void expand(Value panel, Value at);

  /// Element `at` (row * k + step) of a table in `buffer` whose `k` long rows are the columns of panels.
  static Value tableElement(OpBuilder &b, Location loc, const WeightBlocks &blocks, Value buffer, int64_t k, Value at);

private:
  OpBuilder &b;
  Location loc;
  const WeightBlocks &blocks;
  Value buffer, group;
  int64_t lanes;

  Value load(int64_t at, int64_t bytes);
  Value floats(int64_t at, int64_t first);
};

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_BLOCKREADER_H
