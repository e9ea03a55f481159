//===- PackedProduct.cpp - products of computed matrices ------------------===//
//
// Both operands of a product that makes gradients are computed, and lie in memory as other ops have left them: the
// steps of a row of x, or of a column of y, may be far from one another. Here operands are brought into the order that
// tiles read them in, a block of steps at a time: y as panels [step][column of a tile], and x, where its steps are not
// neighbours, as [tile][step][row of a tile]. A packed block of y meets all rows of a chunk, and one of x all panels of
// a group.
//
// The sums of each block begin at 0 and are added to what the blocks before gave. So the error of a sum of ten
// thousands of products is that of a few hundred, where one long sum would lose what is small beside it.
//
//===----------------------------------------------------------------------===//

#include "PackedProduct.h"
#include "Epilogue.h"
#include "Packing.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

class PackedProductEmitter {
public:
  PackedProductEmitter(KernelContext &context, Location loc, const Product &product, const RowProgram &program)
      : context(context), loc(loc), p(product), y(context, loc, product.y), epilogue(context, loc, program),
        builder(context, loc), tile(product.tileOf(context.tiles, context.compute)), lanes(tile.lanes),
        columns(tile.columns()) {}
  FailureOr<Kernel> emit();

private:
  KernelContext &context;
  Location loc;
  const Product &p;
  WeightOperand y;
  Epilogue epilogue;
  KernelBuilder builder;
  RegisterTile tile;
  int64_t lanes, columns; // of a vector, of a panel
  bool packsX = false;
  /// Steps of a block, tiles of a chunk, panels of a group. All steps may be one block, whose sums stay in registers.
  int64_t blockSteps = 0, chunkTiles = 0, groupPanels = 0;
  bool isOneBlock = false;
  Value xBuffer, yBuffer, xBlock, yPanel;

  struct Item {
    Value firstTile, endTile, firstPanel, panelCount;
    Value xBase, yBase, resultRow, resultColumn; // of the batch
  };
  /// x of a tile: rows are `row` apart, steps `step`.
  struct Rows {
    Value buffer, first;
    int64_t row, step;
  };

  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value sub(OpBuilder &b, Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
  Value scaled(OpBuilder &b, Value v, int64_t factor) { return b.create<arith::MulIOp>(loc, v, index(b, factor)); }
  void forRange(OpBuilder &b, Value from, Value to, function_ref<void(OpBuilder &, Value)> body);
  /// `body` with `rest` where `isLast`, else with `full`; of a number that is always the same once.
  void withCount(OpBuilder &b, Value number, int64_t last, int64_t full, int64_t rest,
                 function_ref<void(OpBuilder &, int64_t)> body);

  void chooseSizes();
  int64_t chunkRows() const { return chunkTiles * tile.rows; }
  Value allocate(OpBuilder &b, int64_t elements) {
    return b.create<memref::AllocaOp>(loc, MemRefType::get({elements}, context.compute), b.getI64IntegerAttr(64));
  }
  Item beginItem(OpBuilder &b, Value number, int64_t chunks, int64_t groups);
  void emitItem(OpBuilder &b, const Item &item);
  void emitBlock(OpBuilder &b, const Item &item, Value firstStep, int64_t steps);
  void forTiles(OpBuilder &b, const Item &item, function_ref<void(OpBuilder &, Value tile, int64_t rows)> body);
  void packX(OpBuilder &b, const Item &item, Value from, int64_t steps);
  SmallVector<Value> multiply(OpBuilder &b, const Rows &x, int64_t rows, int64_t steps);
  void writeSums(OpBuilder &b, const Item &item);
  Value sumsAt(OpBuilder &b, const Item &item, Value panel, Value row);
};

} // namespace

void PackedProductEmitter::forRange(OpBuilder &b, Value from, Value to, function_ref<void(OpBuilder &, Value)> body) {
  b.create<scf::ForOp>(loc, from, to, index(b, 1), ValueRange(), [&](OpBuilder &b, Location, Value i, ValueRange) {
    body(b, i);
    b.create<scf::YieldOp>(loc);
  });
}

void PackedProductEmitter::withCount(OpBuilder &b, Value number, int64_t last, int64_t full, int64_t rest,
                                     function_ref<void(OpBuilder &, int64_t)> body) {
  if (!rest || last == 0) {
    body(b, rest ? rest : full);
    return;
  }
  auto branch = [&](int64_t count) {
    return [this, count, body](OpBuilder &b, Location) {
      body(b, count);
      b.create<scf::YieldOp>(loc);
    };
  };
  Value isLast = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, number, index(b, last));
  b.create<scf::IfOp>(loc, isLast, branch(rest), branch(full));
}

//===-- sizes -------------------------------------------------------------===//

void PackedProductEmitter::chooseSizes() {
  const int64_t bytes = context.compute.getWidth() / 8, room = context.tiles.stackBytes * 3 / 8;
  const int64_t panels = llvm::divideCeil(p.n, columns), tiles = llvm::divideCeil(p.m, tile.rows);
  packsX = p.xSteps.strides[0] != 1;
  // A panel takes three quarters of a first-level cache of 32 KB.
  const int64_t blocks = llvm::divideCeil(p.k, context.tiles.innerCacheBytes * 3 / 4 / (columns * bytes));
  blockSteps = std::min<int64_t>(p.k, llvm::alignTo(llvm::divideCeil(p.k, blocks), lanes));
  isOneBlock = blockSteps == p.k && p.n % columns == 0;
  // Rows whose block stays in the second-level cache, or fits on the stack if it is packed.
  const int64_t most = packsX ? room : context.tiles.cacheBytes / 2;
  const int64_t tilesOfRoom = std::max<int64_t>(1, most / (blockSteps * bytes) / tile.rows);
  chunkTiles = llvm::divideCeil(tiles, llvm::divideCeil(tiles, std::min<int64_t>(tilesOfRoom, 256 / tile.rows)));
  const int64_t chunks = llvm::divideCeil(tiles, chunkTiles);
  // At least 16 items, so that threads of different speed end together.
  int64_t mostPanels = isOneBlock ? panels : std::max<int64_t>(1, room / (chunkRows() * columns * bytes));
  mostPanels = std::clamp<int64_t>(p.batches() * chunks * panels / 16, 1, mostPanels);
  groupPanels = llvm::divideCeil(panels, llvm::divideCeil(panels, mostPanels));
}

//===-- blocks ------------------------------------------------------------===//

void PackedProductEmitter::forTiles(OpBuilder &b, const Item &item,
                                    function_ref<void(OpBuilder &, Value tile, int64_t rows)> body) {
  forRange(b, item.firstTile, item.endTile, [&](OpBuilder &b, Value number) {
    withCount(b, number, p.m / tile.rows, tile.rows, p.m % tile.rows,
              [&](OpBuilder &b, int64_t rows) { body(b, number, rows); });
  });
}

/// The block's steps of all rows of the chunk, [tile][step][row]. `from`: the first of them.
void PackedProductEmitter::packX(OpBuilder &b, const Item &item, Value from, int64_t steps) {
  Type element = cast<MemRefType>(xBuffer.getType()).getElementType();
  const int64_t rowStride = p.rows.strides[0];
  // A step of all tiles at a time: its rows are neighbours, and the next step may be in another page of memory.
  forRange(b, index(b, 0), index(b, steps), [&](OpBuilder &b, Value step) {
    Value line = add(b, from, scaled(b, step, p.xSteps.strides[0]));
    forTiles(b, item, [&](OpBuilder &b, Value number, int64_t rows) {
      Scalar s(b, loc, context.compute);
      Value inChunk = scaled(b, sub(b, number, item.firstTile), tile.rows);
      Value source = add(b, line, scaled(b, inChunk, rowStride));
      Value target = add(b, scaled(b, inChunk, blockSteps), scaled(b, step, tile.rows));
      if (rowStride == 1 && rows == tile.rows) {
        Value x = b.create<vector::LoadOp>(loc, VectorType::get(rows, element), xBuffer, source);
        b.create<vector::StoreOp>(loc, s.fromMemory(x, elementOf(p.x)), xBlock, target);
        return;
      }
      for (int64_t row = 0; row < rows; ++row) {
        Value x = b.create<memref::LoadOp>(loc, xBuffer, add(b, source, index(b, row * rowStride)));
        b.create<memref::StoreOp>(loc, s.fromMemory(x, elementOf(p.x)), xBlock, add(b, target, index(b, row)));
      }
    });
  });
}

/// The sums of one tile over `steps` of the packed panel.
SmallVector<Value> PackedProductEmitter::multiply(OpBuilder &b, const Rows &x, int64_t rows, int64_t steps) {
  auto type = VectorType::get(lanes, context.compute);
  Value zero = Scalar(b, loc, context.compute).constantOf(type, 0);
  auto loop = b.create<scf::ForOp>(
      loc, index(b, 0), index(b, steps), index(b, 1), SmallVector<Value>(rows * tile.vectors, zero),
      [&](OpBuilder &b, Location, Value step, ValueRange carried) {
        SmallVector<Value> sums(carried), weights;
        Scalar s(b, loc, context.compute);
        for (int64_t v = 0; v < tile.vectors; ++v)
          weights.push_back(
              b.create<vector::LoadOp>(loc, type, yPanel, add(b, scaled(b, step, columns), index(b, v * lanes))));
        Value at = add(b, x.first, scaled(b, step, x.step));
        for (int64_t r = 0; r < rows; ++r) {
          Value element = b.create<memref::LoadOp>(loc, x.buffer, add(b, at, index(b, r * x.row)));
          Value wide =
              b.create<vector::BroadcastOp>(loc, type, packsX ? element : s.fromMemory(element, elementOf(p.x)));
          for (int64_t v = 0; v < tile.vectors; ++v) {
            Value &sum = sums[r * tile.vectors + v];
            sum = b.create<vector::FMAOp>(loc, wide, weights[v], sum);
          }
        }
        b.create<scf::YieldOp>(loc, sums);
      });
  return SmallVector<Value>(loop.getResults());
}

/// Sums of a chunk and a group wait as [panel][row][column].
Value PackedProductEmitter::sumsAt(OpBuilder &b, const Item &item, Value panel, Value row) {
  Value inChunk = sub(b, row, scaled(b, item.firstTile, tile.rows));
  return scaled(b, add(b, scaled(b, panel, chunkRows()), inChunk), columns);
}

void PackedProductEmitter::emitBlock(OpBuilder &b, const Item &item, Value firstStep, int64_t steps) {
  const int64_t xStep = p.xSteps.strides[0], rowStride = p.rows.strides[0], columnStride = p.columns.strides[0];
  Value xFirst = add(b, item.xBase, scaled(b, firstStep, xStep));
  if (packsX)
    packX(b, item, add(b, xFirst, scaled(b, scaled(b, item.firstTile, tile.rows), rowStride)), steps);
  forRange(b, index(b, 0), item.panelCount, [&](OpBuilder &b, Value g) {
    Value panel = add(b, item.firstPanel, g);
    Value yFirst =
        add(b, add(b, item.yBase, scaled(b, firstStep, p.ySteps.strides[0])), scaled(b, panel, columns * columnStride));
    withCount(b, panel, p.n / columns, columns, p.n % columns, [&](OpBuilder &b, int64_t valid) {
      packPanel(b, loc, context.compute, y, {yBuffer, yFirst, p.ySteps.strides[0], columnStride}, tile, steps, valid,
                yPanel);
    });
    forTiles(b, item, [&](OpBuilder &b, Value number, int64_t rows) {
      Value firstRow = scaled(b, number, tile.rows);
      Rows x{xBuffer, add(b, xFirst, scaled(b, firstRow, rowStride)), rowStride, xStep};
      if (packsX)
        x = {xBlock, scaled(b, sub(b, number, item.firstTile), tile.rows * blockSteps), 1, tile.rows};
      SmallVector<Value> sums = multiply(b, x, rows, steps);
      if (isOneBlock) {
        auto rowAt = [&](OpBuilder &b, Value r) {
          return add(b, item.resultRow, scaled(b, add(b, firstRow, r), p.resultRows[0]));
        };
        epilogue.write(b, sums, tile.vectors, columns, rowAt, add(b, item.resultColumn, scaled(b, panel, columns)));
        return;
      }
      Value at = sumsAt(b, item, g, firstRow);
      for (auto [i, sum] : llvm::enumerate(sums)) {
        Value place = add(b, at, index(b, i * lanes));
        Value before = b.create<vector::LoadOp>(loc, cast<VectorType>(sum.getType()), epilogue.tile(), place);
        b.create<vector::StoreOp>(loc, b.create<arith::AddFOp>(loc, before, sum), epilogue.tile(), place);
      }
    });
  });
}

//===-- items -------------------------------------------------------------===//

/// Groups run fastest: neighbouring items share their rows of x.
PackedProductEmitter::Item PackedProductEmitter::beginItem(OpBuilder &b, Value number, int64_t chunks, int64_t groups) {
  SmallVector<Value> at = delinearize(b, loc, number, {p.batches(), chunks, groups});
  SmallVector<Value> batch = delinearize(b, loc, at[0], p.batch);
  auto offset = [&](int64_t first, ArrayRef<int64_t> strides) {
    Value sum = index(b, first);
    for (auto [i, stride] : llvm::zip_equal(batch, strides))
      if (stride)
        sum = add(b, sum, scaled(b, i, stride));
    return sum;
  };
  auto end = [&](Value first, int64_t count, int64_t all) {
    return b.create<arith::MinUIOp>(loc, add(b, first, index(b, count)), index(b, all)).getResult();
  };
  Item item;
  item.firstTile = scaled(b, at[1], chunkTiles);
  item.endTile = end(item.firstTile, chunkTiles, llvm::divideCeil(p.m, tile.rows));
  item.firstPanel = scaled(b, at[2], groupPanels);
  item.panelCount = sub(b, end(item.firstPanel, groupPanels, llvm::divideCeil(p.n, columns)), item.firstPanel);
  item.xBase = offset(p.xOffset, p.xBatch);
  item.yBase = offset(p.yOffset, p.yBatch);
  item.resultRow = offset(0, p.batchRows);
  item.resultColumn = scaled(b, at[0], p.columnsPerBatch);
  return item;
}

void PackedProductEmitter::writeSums(OpBuilder &b, const Item &item) {
  Value endRow = b.create<arith::MinUIOp>(loc, scaled(b, item.endTile, tile.rows), index(b, p.m));
  forRange(b, index(b, 0), item.panelCount, [&](OpBuilder &b, Value g) {
    Value panel = add(b, item.firstPanel, g), column = add(b, item.resultColumn, scaled(b, panel, columns));
    withCount(b, panel, p.n / columns, columns, p.n % columns, [&](OpBuilder &b, int64_t valid) {
      forRange(b, scaled(b, item.firstTile, tile.rows), endRow, [&](OpBuilder &b, Value row) {
        Value resultRow = add(b, item.resultRow, scaled(b, row, p.resultRows[0]));
        epilogue.writeRow(b, resultRow, valid, column, sumsAt(b, item, g, row), 2 * lanes);
      });
    });
  });
}

void PackedProductEmitter::emitItem(OpBuilder &b, const Item &item) {
  yPanel = allocate(b, blockSteps * columns);
  if (packsX)
    xBlock = allocate(b, chunkRows() * blockSteps);
  if (isOneBlock) {
    epilogue.allocate(b, tile.rows * columns);
    emitBlock(b, item, index(b, 0), p.k);
    return;
  }
  int64_t sums = groupPanels * chunkRows() * columns;
  epilogue.allocate(b, sums);
  Value zero = Scalar(b, loc, context.compute).constantOf(VectorType::get(lanes, context.compute), 0);
  forRange(b, index(b, 0), index(b, sums / lanes),
           [&](OpBuilder &b, Value i) { b.create<vector::StoreOp>(loc, zero, epilogue.tile(), scaled(b, i, lanes)); });
  int64_t whole = p.k / blockSteps, rest = p.k % blockSteps;
  forRange(b, index(b, 0), index(b, whole),
           [&](OpBuilder &b, Value block) { emitBlock(b, item, scaled(b, block, blockSteps), blockSteps); });
  if (rest)
    emitBlock(b, item, index(b, whole * blockSteps), rest);
  writeSums(b, item);
}

FailureOr<Kernel> PackedProductEmitter::emit() {
  chooseSizes();
  builder.addInput(p.x);
  y.addInput(builder, std::nullopt, columns);
  if (failed(epilogue.addInputs(builder, {})))
    return failure();
  builder.begin();
  epilogue.bind(builder);
  xBuffer = builder.inputs[p.x];
  yBuffer = y.buffer(builder);
  int64_t chunks = llvm::divideCeil(llvm::divideCeil(p.m, tile.rows), chunkTiles);
  int64_t groups = llvm::divideCeil(llvm::divideCeil(p.n, columns), groupPanels);
  parallelFor(context.builder, loc, p.batches() * chunks * groups, p.batches() * p.m * p.n / 16 * p.k,
              [&](OpBuilder &b, Value number) { emitItem(b, beginItem(b, number, chunks, groups)); });
  return builder.finish();
}

std::optional<FailureOr<Kernel>> host::emitPackedProduct(KernelContext &context, Location loc, const Product &product,
                                                         const RowProgram &program) {
  if (!product.isPacked())
    return std::nullopt;
  return PackedProductEmitter(context, loc, product, program).emit();
}
