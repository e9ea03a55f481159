//===- BlockTiles.cpp - tiles of products with weights in blocks ----------===//

#include "BlockTiles.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

void BlockTiles::forRange(OpBuilder &b, Value from, Value to, function_ref<void(OpBuilder &, Value)> body) {
  b.create<scf::ForOp>(loc, from, to, index(b, 1), ValueRange(), [&](OpBuilder &inner, Location, Value i, ValueRange) {
    body(inner, i);
    inner.create<scf::YieldOp>(loc);
  });
}

Value BlockTiles::loadX(OpBuilder &b, Value at, int64_t width) {
  Type element = cast<MemRefType>(xBuffer.getType()).getElementType();
  Value stored = b.create<vector::LoadOp>(loc, VectorType::get(width, element), xBuffer, at);
  return Scalar(b, loc, context.compute).fromMemory(stored, elementOf(p.x));
}

void BlockTiles::emitTile(OpBuilder &b, Value panel, Value firstRow, int64_t rows, int64_t valid) {
  Value zero = Scalar(b, loc, context.compute).constantOf(VectorType::get(lanes, context.compute), 0);
  SmallVector<Value> totals(rows * vectors, zero);
  Value base = scaled(b, panel, w.panelBytes(p.k));
  auto groups = b.create<scf::ForOp>(loc, index(b, 0), index(b, p.k / WeightBlocks::steps), index(b, 1), totals,
                                     [&](OpBuilder &b, Location, Value number, ValueRange carried) {
                                       Value group = add(b, base, scaled(b, number, w.groupBytes()));
                                       if (p.m <= tileRows)
                                         y.prefetch(b, yBuffer, group, w.groupBytes());
                                       b.create<scf::YieldOp>(loc, addGroup(b, group, number, firstRow, rows, carried));
                                     });
  auto rowAt = [&](OpBuilder &b, Value r) { return scaled(b, add(b, firstRow, r), p.resultRows[0]); };
  epilogue.write(b, SmallVector<Value>(groups.getResults()), vectors, valid, rowAt,
                 scaled(b, panel, WeightBlocks::columns));
}

/// The tiles of chunk `chunk` of the rows; all rows are one without.
void BlockTiles::emitPanel(OpBuilder &b, Value panel, Value chunk, int64_t valid) {
  int64_t tiles = p.m / tileRows, rest = p.m % tileRows, perChunk = chunkRows() / tileRows;
  auto full = [&](OpBuilder &b, Value t) { emitTile(b, panel, scaled(b, t, tileRows), tileRows, valid); };
  auto last = [&](OpBuilder &b) { emitTile(b, panel, index(b, p.m - rest), rest, valid); };
  if (!chunk) {
    if (tiles == 1)
      emitTile(b, panel, index(b, 0), tileRows, valid);
    else
      forRange(b, tiles, full);
    if (rest)
      last(b);
    return;
  }
  Value first = scaled(b, chunk, perChunk), end = add(b, first, perChunk);
  forRange(b, first, b.create<arith::MinUIOp>(loc, end, index(b, tiles)), full);
  if (!rest)
    return;
  // In the chunk that ends behind all whole tiles.
  Value isLast = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ugt, end, index(b, tiles));
  b.create<scf::IfOp>(loc, isLast, [&](OpBuilder &b, Location) {
    last(b);
    b.create<scf::YieldOp>(loc);
  });
}

FailureOr<Kernel> BlockTiles::emit() {
  KernelBuilder builder(context, loc);
  builder.addInput(p.x);
  y.addInput(builder, p.weight, WeightBlocks::columns);
  if (failed(epilogue.addInputs(builder, p.y)))
    return failure();
  builder.addScratch(scratchBytes());
  builder.begin();
  epilogue.bind(builder);
  xBuffer = builder.inputs[p.x];
  yBuffer = y.buffer(builder);
  quantise(context.builder, builder.scratch);
  int64_t panels = llvm::divideCeil(p.n, WeightBlocks::columns), left = p.n % WeightBlocks::columns;
  int64_t chunks = llvm::divideCeil(p.m, chunkRows());
  parallelFor(context.builder, loc, chunks * panels, p.m * p.n * p.k / 4, [&](OpBuilder &b, Value number) {
    epilogue.allocate(b, tileRows * WeightBlocks::columns);
    Value panel = number, chunk;
    if (chunks > 1) {
      SmallVector<Value> at = delinearize(b, loc, number, {chunks, panels});
      chunk = at[0], panel = at[1];
    }
    if (!left || panels == 1)
      return emitPanel(b, panel, chunk, left ? left : WeightBlocks::columns);
    Value isLast = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, panel, index(b, panels - 1));
    auto branch = [&](int64_t valid) {
      return [this, panel, chunk, valid](OpBuilder &b, Location) {
        emitPanel(b, panel, chunk, valid);
        b.create<scf::YieldOp>(loc);
      };
    };
    b.create<scf::IfOp>(loc, isLast, branch(left), branch(WeightBlocks::columns));
  });
  return builder.finish();
}

bool BlockTiles::reads(const Product &product) {
  return product.batches() == 1 && product.rows.shape.size() == 1 && product.xSteps.shape.size() == 1 &&
         product.xSteps.strides[0] == 1;
}
