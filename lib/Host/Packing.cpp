//===- Packing.cpp - operands in the order that tiles read them -----------===//

#include "Packing.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// The columns of a square of vectors. Each stage swaps the upper right and the lower left corner of all squares of
/// 2 x `corner` elements.
static SmallVector<Value> transposed(OpBuilder &b, Location loc, SmallVector<Value> rows) {
  const int64_t size = rows.size();
  for (int64_t corner = 1; corner < size; corner *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool isRight = lane & corner;
      upper.push_back(isRight ? size + lane - corner : lane);
      lower.push_back(isRight ? size + lane : lane + corner);
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & corner)
        continue;
      Value x = rows[i], y = rows[i + corner];
      rows[i] = b.create<vector::ShuffleOp>(loc, x, y, upper);
      rows[i + corner] = b.create<vector::ShuffleOp>(loc, x, y, lower);
    }
  }
  return rows;
}

namespace {
class Packer {
public:
  Packer(Location loc, FloatType compute, const WeightOperand &y, const PanelSource &source, const RegisterTile &tile,
         int64_t valid, Value panel)
      : loc(loc), compute(compute), y(y), source(source), tile(tile), valid(valid), panel(panel) {}

  void copyVectors(OpBuilder &b, int64_t steps);
  void turnSquares(OpBuilder &b, int64_t steps);
  void copyElements(OpBuilder &b, int64_t firstStep, int64_t steps);

private:
  Location loc;
  FloatType compute;
  const WeightOperand &y;
  const PanelSource &source;
  RegisterTile tile;
  int64_t valid;
  Value panel;

  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value scaled(OpBuilder &b, Value v, int64_t factor) { return b.create<arith::MulIOp>(loc, v, index(b, factor)); }
  Value from(OpBuilder &b, Value step, int64_t column) {
    Value at = add(b, source.first, scaled(b, step, source.stepStride));
    return add(b, at, index(b, column * source.columnStride));
  }
  Value to(OpBuilder &b, Value step, int64_t column) {
    return add(b, scaled(b, step, tile.columns()), index(b, column));
  }
  void forSteps(OpBuilder &b, int64_t first, int64_t end, int64_t by, function_ref<void(OpBuilder &, Value)> body) {
    b.create<scf::ForOp>(loc, index(b, first), index(b, end), index(b, by), ValueRange(),
                         [&](OpBuilder &b, Location, Value step, ValueRange) {
                           body(b, step);
                           b.create<scf::YieldOp>(loc);
                         });
  }
};
} // namespace

void Packer::copyVectors(OpBuilder &b, int64_t steps) {
  forSteps(b, 0, steps, 1, [&](OpBuilder &b, Value step) {
    for (int64_t column = 0; column < valid; column += tile.lanes)
      b.create<vector::StoreOp>(loc, y.load(b, source.buffer, from(b, step, column), tile.lanes), panel,
                                to(b, step, column));
  });
}

/// As many steps as a vector has lanes, of as many columns.
void Packer::turnSquares(OpBuilder &b, int64_t steps) {
  forSteps(b, 0, steps, tile.lanes, [&](OpBuilder &b, Value step) {
    for (int64_t column = 0; column < valid; column += tile.lanes) {
      SmallVector<Value> square;
      for (int64_t i = 0; i < tile.lanes; ++i)
        square.push_back(y.load(b, source.buffer, from(b, step, column + i), tile.lanes));
      for (auto [i, row] : llvm::enumerate(transposed(b, loc, square)))
        b.create<vector::StoreOp>(loc, row, panel, to(b, add(b, step, index(b, i)), column));
    }
  });
}

void Packer::copyElements(OpBuilder &b, int64_t firstStep, int64_t steps) {
  Value zero = Scalar(b, loc, compute).constantOf(compute, 0);
  forSteps(b, firstStep, steps, 1, [&](OpBuilder &b, Value step) {
    for (int64_t column = 0; column < tile.columns(); ++column) {
      Value element = column < valid ? y.load(b, source.buffer, from(b, step, column), 1) : zero;
      b.create<memref::StoreOp>(loc, element, panel, to(b, step, column));
    }
  });
}

void host::packPanel(OpBuilder &b, Location loc, FloatType compute, const WeightOperand &y, const PanelSource &source,
                     const RegisterTile &tile, int64_t steps, int64_t valid, Value panel) {
  Packer packer(loc, compute, y, source, tile, valid, panel);
  const bool isWhole = valid == tile.columns();
  if (isWhole && source.columnStride == 1)
    return packer.copyVectors(b, steps);
  const int64_t whole = isWhole && source.stepStride == 1 ? steps / tile.lanes * tile.lanes : 0;
  if (whole)
    packer.turnSquares(b, whole);
  if (whole < steps)
    packer.copyElements(b, whole, steps);
}
