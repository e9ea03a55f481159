//===- Gemm.cpp - kernels of matrix products and direct convolutions ------===//
//
// A register tile of rows x columns sums over all steps and goes through the epilogue, a row program. Constant
// right-hand sides are packed ahead of time into panels [steps][columns of a tile]; others are read in place where
// their columns are contiguous, else a panel is packed on the stack of the thread that uses it.
//
// Panels of weights in blocks are expanded on the stack for all rows of a chunk. Few rows have kernels of their own,
// with such weights (BlockProduct.cpp) and where columns of y are contiguous (DotProduct.cpp), and so have many rows of
// two computed operands (PackedProduct.cpp).
//
// Panels longer than the first-level cache are taken block by block: a block of a panel meets all rows of a chunk
// before the next one is loaded, and the sums wait in memory.
//
// Of attention, tiles of scores that a mask hides are not summed, and steps of values that have no weight are passed
// by.
//
//===----------------------------------------------------------------------===//

#include "BlockProduct.h"
#include "BlockReader.h"
#include "DotProduct.h"
#include "Epilogue.h"
#include "PackedProduct.h"
#include "Packing.h"
#include "RoundedProduct.h"
#include "ScoreMask.h"
#include "WeightOperand.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// Steps of values that are passed by together, where no row of a tile has a weight for them.
static constexpr int64_t stepsPassedBy = 16;

namespace {

struct GemmEmitter {
  GemmEmitter(KernelContext &context, Location loc, const Product &product, const RowProgram &program)
      : context(context), loc(loc), p(product), y(context, loc, product.y, product.blocks(context.compute)),
        program(program), epilogue(context, loc, program), builder(context, loc) {}
  FailureOr<Kernel> emit();

private:
  KernelContext &context;
  Location loc;
  const Product &p;
  WeightOperand y;
  const RowProgram &program;
  Epilogue epilogue;
  KernelBuilder builder;
  RegisterTile tile;
  int64_t lanes, columns; // of a vector, of a panel
  bool packed = false, direct = false;
  /// Steps of x; blocks run over all dimensions but the last.
  Span steps;
  bool blocked = false;
  std::optional<ScoreMask> mask;
  bool passesBy = false; // steps are in groups of stepsPassedBy
  /// Tiles of a chunk, panels of a group: what one item covers.
  int64_t chunkTiles = 0, groupPanels = 1;
  Value xBuffer, yBuffer, expanded, panelOnStack;

  /// Where y's panel of the current tile is: element base + step * stride. Without a buffer all sums are 0.
  struct Panel {
    Value buffer, base;
    int64_t stride = 0;
  };

  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value scaled(OpBuilder &b, Value v, int64_t factor) {
    return factor == 1 ? v : b.create<arith::MulIOp>(loc, v, index(b, factor)).getResult();
  }
  /// from + the offset of `position` in `span`.
  Value offset(OpBuilder &b, Value from, Value position, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides);
  void forRange(OpBuilder &b, Value from, Value to, function_ref<void(OpBuilder &, Value)> body);
  void ifElse(OpBuilder &b, Value condition, function_ref<void(OpBuilder &)> yes, function_ref<void(OpBuilder &)> no);

  void chooseBlocks();
  void widenTile();
  int64_t rowsPerChunk();
  /// What the indices of an item say.
  struct Item {
    SmallVector<Value> batch; // per dimension
    Value batchNumber, firstTile, endTile, group;
    Value xBase, resultRow, resultColumn; // of the batch
  };
  Item beginItem(OpBuilder &b, Value item, int64_t chunks, int64_t groups);
  Value batchOffset(OpBuilder &b, int64_t first, ValueRange batch, ArrayRef<int64_t> strides);
  void forTiles(OpBuilder &b, const Item &item, function_ref<void(OpBuilder &, Value firstRow, int64_t rows)> body);
  void withValid(OpBuilder &b, Value panel, function_ref<void(OpBuilder &, int64_t valid)> body);
  void allocateExpanded(OpBuilder &b, int64_t count);
  Panel packedPanel(OpBuilder &b, const Item &item, Value number, Value firstStep, int64_t count);
  void emitItem(OpBuilder &b, const Item &item);
  void emitBlockedItem(OpBuilder &b, const Item &item);
  SmallVector<Value> rowStarts(OpBuilder &b, Value xBase, Value firstRow, int64_t rows);
  void emitTile(OpBuilder &b, int64_t rows, int64_t valid, const Panel &panel, Value firstRow, const Item &item,
                Value column);
  SmallVector<Value> sumSteps(OpBuilder &b, size_t dim, Value step, Value xOffset, ArrayRef<Value> starts,
                              const Panel &panel, int64_t vectors, ValueRange sums);
  Value hasWeights(OpBuilder &b, Value xOffset, ArrayRef<Value> starts);
  SmallVector<Value> sumsIf(OpBuilder &b, Value condition, ValueRange otherwise,
                            function_ref<SmallVector<Value>(OpBuilder &)> sums);
};

} // namespace

//===-- helpers -----------------------------------------------------------===//

Value GemmEmitter::offset(OpBuilder &b, Value from, Value position, ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> strides) {
  for (auto [i, stride] : llvm::zip_equal(delinearize(b, loc, position, shape), strides))
    if (stride)
      from = add(b, from, scaled(b, i, stride));
  return from;
}

void GemmEmitter::forRange(OpBuilder &b, Value from, Value to, function_ref<void(OpBuilder &, Value)> body) {
  b.create<scf::ForOp>(loc, from, to, index(b, 1), ValueRange(), [&](OpBuilder &inner, Location, Value i, ValueRange) {
    body(inner, i);
    inner.create<scf::YieldOp>(loc);
  });
}

void GemmEmitter::ifElse(OpBuilder &b, Value condition, function_ref<void(OpBuilder &)> yes,
                         function_ref<void(OpBuilder &)> no) {
  auto branch = [&](function_ref<void(OpBuilder &)> body) {
    return [this, body](OpBuilder &inner, Location) {
      body(inner);
      inner.create<scf::YieldOp>(loc);
    };
  };
  b.create<scf::IfOp>(loc, condition, branch(yes), branch(no));
}

//===-- sizes -------------------------------------------------------------===//

/// Blocks of a few hundred steps, if the panel is long and serves several tiles.
void GemmEmitter::chooseBlocks() {
  constexpr int64_t longest = blockLength;
  // The columns of a panel of a weight in blocks are read in whole groups of steps.
  const int64_t unit = y.blocks ? WeightBlocks::steps : 1, shortest = y.blocks ? unit : 64;
  int64_t bytes = context.compute.getWidth() / 8, inner = steps.shape.back();
  if (!packed || (p.m <= 2 * tile.rows && !y.blocks) || p.k * columns * bytes <= context.tiles.innerCacheBytes * 3 / 2)
    return;
  int64_t size = inner;
  if (inner > longest)
    for (size = longest; size > 0 && inner % size != 0;)
      size -= unit;
  if (size < shortest)
    return;
  if (size < inner) {
    steps.shape.back() = inner / size;
    steps.append(size, steps.strides.back());
    steps.strides[steps.strides.size() - 2] *= size;
  }
  blocked = steps.shape.size() > 1;
}

/// Few rows leave registers for the sums of more columns, so that y, the values of a decoder's step, is read line by
/// line. There are at least 6 pieces, which threads share.
void GemmEmitter::widenTile() {
  while (p.m * tile.vectors * 2 <= context.tiles.sums && p.n % (2 * tile.columns()) == 0 &&
         p.batches() * p.n / (2 * tile.columns()) >= 6)
    tile.vectors *= 2;
}

/// Rows whose part of x stays in the second-level cache while all panels pass by: half of it, or an eighth where the
/// panels themselves fit, too. At least 16 pieces, so that threads of different speed end together.
int64_t GemmEmitter::rowsPerChunk() {
  int64_t bytes = context.compute.getWidth() / 8, cache = context.tiles.cacheBytes;
  int64_t whole = numElements(shapeOf(p.x)) * bytes;
  int64_t perRow =
      std::max<int64_t>(1, std::min<int64_t>(p.k * bytes, whole / std::max<int64_t>(1, p.m * p.batches())));
  int64_t room = p.n * p.k * bytes <= cache / 2 ? cache / 8 : cache / 2;
  if (blocked)
    // Sums of a chunk stay in the cache, too.
    perRow = blockLength * bytes, room = cache / 4;
  int64_t panels = llvm::divideCeil(p.n, columns), chunks = llvm::divideCeil(16, p.batches() * panels);
  return std::max<int64_t>(1, std::min<int64_t>(room / perRow, llvm::divideCeil(p.m, chunks)));
}

//===-- tiles -------------------------------------------------------------===//

/// Adds the products of dimensions `dim`.. of the steps to `sums`. `step` counts steps of y, `xOffset` elements of x.
SmallVector<Value> GemmEmitter::sumSteps(OpBuilder &b, size_t dim, Value step, Value xOffset, ArrayRef<Value> starts,
                                         const Panel &panel, int64_t vectors, ValueRange sums) {
  int64_t size = steps.shape[dim], stride = steps.strides[dim];
  bool inner = dim + 1 == steps.shape.size();
  int64_t rows = starts.size(), width = vectors * lanes, chains = sums.size() / (rows * vectors);
  int64_t unroll = inner ? chains : 1;
  // A tile that meets all rows is the only one to read a packed panel: line by line, which may hold several steps.
  bool fetches = inner && packed && p.m == rows && panel.buffer == yBuffer && panel.stride == width;
  if (fetches) {
    int64_t bytes = width * cast<MemRefType>(yBuffer.getType()).getElementTypeBitWidth() / 8;
    int64_t together = std::max<int64_t>(unroll, WeightOperand::cacheLine / bytes);
    unroll = size % together == 0 ? together : unroll;
  }
  auto vectorType = VectorType::get(lanes, context.compute);
  auto body = [&](OpBuilder &b, Value i, ValueRange carried) {
    Value next = add(b, scaled(b, step, size), i), at = add(b, xOffset, scaled(b, i, stride));
    if (!inner) {
      auto sumInner = [&](OpBuilder &b) { return sumSteps(b, dim + 1, next, at, starts, panel, vectors, carried); };
      return passesBy ? sumsIf(b, hasWeights(b, at, starts), carried, sumInner) : sumInner(b);
    }
    SmallVector<Value> result(carried);
    Scalar s(b, loc, context.compute);
    for (int64_t u = 0; u < unroll; ++u) {
      Value first = add(b, panel.base, scaled(b, u ? add(b, next, index(b, u)) : next, panel.stride));
      if (fetches && u == 0)
        y.prefetch(b, yBuffer, first, unroll * width);
      SmallVector<Value> weights;
      for (int64_t v = 0; v < vectors; ++v)
        weights.push_back(y.load(b, panel.buffer, add(b, first, index(b, v * lanes)), lanes));
      for (int64_t r = 0; r < rows; ++r) {
        Value from = add(b, starts[r], u ? add(b, at, index(b, u * stride)) : at);
        Value x = s.fromMemory(b.create<memref::LoadOp>(loc, xBuffer, from), elementOf(p.x));
        Value wide = b.create<vector::BroadcastOp>(loc, vectorType, x);
        for (int64_t v = 0; v < vectors; ++v) {
          Value &sum = result[(u % chains * rows + r) * vectors + v];
          sum = b.create<vector::FMAOp>(loc, wide, weights[v], sum);
        }
      }
    }
    return result;
  };
  if (size == unroll)
    return body(b, index(b, 0), sums);
  auto loop = b.create<scf::ForOp>(loc, index(b, 0), index(b, size), index(b, unroll), sums,
                                   [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
                                     inner.create<scf::YieldOp>(loc, body(inner, i, carried));
                                   });
  return SmallVector<Value>(loop.getResults());
}

/// Whether a row has a weight for one of the next steps. Values that nobody weighs are not read: they may be anything.
Value GemmEmitter::hasWeights(OpBuilder &b, Value xOffset, ArrayRef<Value> starts) {
  Type element = cast<MemRefType>(xBuffer.getType()).getElementType();
  auto type = VectorType::get(stepsPassedBy, element);
  auto bits = VectorType::get(stepsPassedBy, b.getIntegerType(element.getIntOrFloatBitWidth()));
  Value any;
  for (Value start : starts) {
    Value x = b.create<vector::LoadOp>(loc, type, xBuffer, add(b, start, xOffset));
    x = b.create<arith::BitcastOp>(loc, bits, x);
    any = any ? b.create<arith::OrIOp>(loc, any, x).getResult() : x;
  }
  Value all = b.create<vector::ReductionOp>(loc, vector::CombiningKind::OR, any);
  Value zero = Scalar(b, loc, context.compute).constantInt(bits.getElementType(), 0);
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, all, zero);
}

/// `sums` where `condition` holds, else `otherwise`.
SmallVector<Value> GemmEmitter::sumsIf(OpBuilder &b, Value condition, ValueRange otherwise,
                                       function_ref<SmallVector<Value>(OpBuilder &)> sums) {
  auto choice = b.create<scf::IfOp>(
      loc, condition, [&](OpBuilder &b, Location) { b.create<scf::YieldOp>(loc, sums(b)); },
      [&](OpBuilder &b, Location) { b.create<scf::YieldOp>(loc, otherwise); });
  return SmallVector<Value>(choice.getResults());
}

/// Where rows `firstRow` .. of x begin.
SmallVector<Value> GemmEmitter::rowStarts(OpBuilder &b, Value xBase, Value firstRow, int64_t rows) {
  // Rows of one line are evenly spaced: a tile that doesn't cross lines needs one address.
  bool oneLine = p.rows.shape.back() % tile.rows == 0 || p.rows.shape.size() == 1;
  SmallVector<Value> starts{offset(b, xBase, firstRow, p.rows.shape, p.rows.strides)};
  for (int64_t r = 1; r < rows; ++r)
    starts.push_back(oneLine ? add(b, starts[0], index(b, r * p.rows.strides.back()))
                             : offset(b, xBase, add(b, firstRow, index(b, r)), p.rows.shape, p.rows.strides));
  return starts;
}

void GemmEmitter::emitTile(OpBuilder &b, int64_t rows, int64_t valid, const Panel &panel, Value firstRow,
                           const Item &item, Value column) {
  SmallVector<Value> starts = rowStarts(b, item.xBase, firstRow, rows);
  int64_t vectors = llvm::divideCeil(valid, lanes);
  // Few sums leave the multipliers waiting: several steps run side by side.
  int64_t unroll = rows * vectors <= 4 && steps.shape.back() % 4 == 0 ? 4 : 1;
  Value zero = Scalar(b, loc, context.compute).constantOf(VectorType::get(lanes, context.compute), 0);
  SmallVector<Value> sums(rows * vectors * unroll, zero);
  auto sumAll = [&](OpBuilder &b) { return sumSteps(b, 0, index(b, 0), index(b, 0), starts, panel, vectors, sums); };
  if (mask && !mask->isSameForRows()) {
    Value isSeen = mask->isSeen(b, loc, builder, add(b, item.resultRow, firstRow), rows, column);
    sums = sumsIf(b, isSeen, sums, sumAll);
  } else if (panel.buffer) {
    sums = sumAll(b);
  }
  SmallVector<Value> totals(ArrayRef(sums).take_front(rows * vectors));
  for (auto [i, sum] : llvm::enumerate(ArrayRef(sums).drop_front(rows * vectors))) {
    Value &total = totals[i % (rows * vectors)];
    total = b.create<arith::AddFOp>(loc, total, sum);
  }
  auto rowAt = [&](OpBuilder &b, Value r) {
    return offset(b, item.resultRow, add(b, firstRow, r), p.rows.shape, p.resultRows);
  };
  epilogue.write(b, totals, vectors, valid, rowAt, column);
}

//===-- items -------------------------------------------------------------===//

Value GemmEmitter::batchOffset(OpBuilder &b, int64_t first, ValueRange batch, ArrayRef<int64_t> strides) {
  Value sum = index(b, first);
  for (auto [i, stride] : llvm::zip_equal(batch, strides))
    if (stride)
      sum = add(b, sum, scaled(b, i, stride));
  return sum;
}

/// Groups run fastest: neighbouring items share their rows of x.
GemmEmitter::Item GemmEmitter::beginItem(OpBuilder &b, Value number, int64_t chunks, int64_t groups) {
  SmallVector<Value> at = delinearize(b, loc, number, {p.batches(), chunks, groups});
  Item item;
  item.batchNumber = at[0];
  item.batch = delinearize(b, loc, at[0], p.batch);
  item.firstTile = scaled(b, at[1], chunkTiles);
  item.endTile = b.create<arith::MinUIOp>(loc, add(b, item.firstTile, index(b, chunkTiles)),
                                          index(b, llvm::divideCeil(p.m, tile.rows)));
  item.group = at[2];
  item.xBase = batchOffset(b, p.xOffset, item.batch, p.xBatch);
  item.resultRow = batchOffset(b, 0, item.batch, p.batchRows);
  item.resultColumn = scaled(b, at[0], p.columnsPerBatch);
  return item;
}

/// `body` for each tile of the item; the last one of all may be lower.
void GemmEmitter::forTiles(OpBuilder &b, const Item &item,
                           function_ref<void(OpBuilder &, Value firstRow, int64_t rows)> body) {
  int64_t full = p.m / tile.rows, rest = p.m % tile.rows;
  if (full + (rest ? 1 : 0) == 1) {
    body(b, index(b, 0), rest ? rest : tile.rows);
    return;
  }
  forRange(b, item.firstTile, item.endTile, [&](OpBuilder &b, Value t) {
    Value firstRow = scaled(b, t, tile.rows);
    if (!rest) {
      body(b, firstRow, tile.rows);
      return;
    }
    Value last = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, t, index(b, full));
    ifElse(
        b, last, [&](OpBuilder &b) { body(b, firstRow, rest); }, [&](OpBuilder &b) { body(b, firstRow, tile.rows); });
  });
}

/// `body` with the number of columns that panel `panel` has: fewer in the last one.
void GemmEmitter::withValid(OpBuilder &b, Value panel, function_ref<void(OpBuilder &, int64_t valid)> body) {
  int64_t panels = llvm::divideCeil(p.n, columns), left = p.n % columns;
  if (!left || panels == 1) {
    body(b, left ? left : columns);
    return;
  }
  Value last = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, panel, index(b, panels - 1));
  ifElse(b, last, [&](OpBuilder &b) { body(b, left); }, [&](OpBuilder &b) { body(b, columns); });
}

/// Steps firstStep .. firstStep + count of panel `number`; those of blocks are expanded to the stack.
GemmEmitter::Panel GemmEmitter::packedPanel(OpBuilder &b, const Item &item, Value number, Value firstStep,
                                            int64_t count) {
  if (!y.blocks) {
    if (p.weight->shape[0] != 1)
      number = add(b, scaled(b, item.batchNumber, llvm::divideCeil(p.n, columns)), number);
    return {yBuffer, add(b, scaled(b, number, columns * p.k), scaled(b, firstStep, columns)), columns};
  }
  constexpr int64_t inGroup = WeightBlocks::steps;
  Value first =
      add(b, scaled(b, number, p.k / inGroup), b.create<arith::DivUIOp>(loc, firstStep, index(b, inGroup)).getResult());
  forRange(b, index(b, 0), index(b, count / inGroup), [&](OpBuilder &b, Value i) {
    Value group = scaled(b, add(b, first, i), y.blocks->groupBytes());
    BlockReader(b, loc, *y.blocks, yBuffer, group, lanes).expand(expanded, scaled(b, i, inGroup * columns));
  });
  return {expanded, index(b, 0), columns};
}

void GemmEmitter::allocateExpanded(OpBuilder &b, int64_t count) {
  if (y.blocks)
    expanded =
        b.create<memref::AllocaOp>(loc, MemRefType::get({count * columns}, context.compute), b.getI64IntegerAttr(64));
}

/// One panel of columns for one chunk of rows.
void GemmEmitter::emitItem(OpBuilder &b, const Item &item) {
  epilogue.allocate(b, tile.rows * columns);
  allocateExpanded(b, p.k);
  if (!packed && !direct)
    panelOnStack =
        b.create<memref::AllocaOp>(loc, MemRefType::get({p.k * columns}, context.compute), b.getI64IntegerAttr(64));
  Value firstColumn = scaled(b, item.group, columns), column = add(b, item.resultColumn, firstColumn);
  auto tiles = [&](OpBuilder &b, int64_t valid, const Panel &panel) {
    forTiles(b, item, [&](OpBuilder &b, Value firstRow, int64_t rows) {
      emitTile(b, rows, valid, panel, firstRow, item, column);
    });
  };
  auto compute = [&](OpBuilder &b, int64_t valid) {
    Panel panel;
    if (packed) {
      panel = packedPanel(b, item, item.group, index(b, 0), p.k);
    } else if (Value base = batchOffset(b, p.yOffset, item.batch, p.yBatch); direct) {
      panel = {yBuffer, add(b, base, firstColumn), p.ySteps.strides[0]};
    } else {
      Value first = add(b, base, scaled(b, firstColumn, p.columns.strides[0]));
      PanelSource source{yBuffer, first, p.ySteps.strides[0], p.columns.strides[0]};
      packPanel(b, loc, context.compute, y, source, tile, p.k, valid, panelOnStack);
      panel = {panelOnStack, index(b, 0), columns};
    }
    tiles(b, valid, panel);
  };
  withValid(b, item.group, [&](OpBuilder &b, int64_t valid) {
    if (!mask || !mask->isSameForRows()) {
      compute(b, valid);
      return;
    }
    Value isSeen = mask->isSeen(b, loc, builder, item.resultRow, p.m, column);
    ifElse(b, isSeen, [&](OpBuilder &b) { compute(b, valid); }, [&](OpBuilder &b) { tiles(b, valid, Panel()); });
  });
}

/// A group of panels for one chunk of rows, block by block of steps. Sums are kept as [panel][row][column].
void GemmEmitter::emitBlockedItem(OpBuilder &b, const Item &item) {
  int64_t chunkRows = chunkTiles * tile.rows, panels = llvm::divideCeil(p.n, columns);
  int64_t elements = groupPanels * chunkRows * columns, blockSteps = steps.shape.back();
  epilogue.allocate(b, elements);
  allocateExpanded(b, blockSteps);
  auto vectorType = VectorType::get(lanes, context.compute);
  Value zero = Scalar(b, loc, context.compute).constantOf(vectorType, 0);
  forRange(b, index(b, 0), index(b, elements / lanes),
           [&](OpBuilder &b, Value i) { b.create<vector::StoreOp>(loc, zero, epilogue.tile(), scaled(b, i, lanes)); });
  Value firstPanel = scaled(b, item.group, groupPanels), chunkStart = scaled(b, item.firstTile, tile.rows);
  Value count =
      b.create<arith::MinUIOp>(loc, index(b, groupPanels), b.create<arith::SubIOp>(loc, index(b, panels), firstPanel));
  auto sumsAt = [&](OpBuilder &b, Value g, Value row) {
    Value inChunk = b.create<arith::SubIOp>(loc, row, chunkStart);
    return scaled(b, add(b, scaled(b, g, chunkRows), inChunk), columns);
  };
  forRange(b, index(b, 0), index(b, steps.count() / blockSteps), [&](OpBuilder &b, Value block) {
    Value xBase = offset(b, item.xBase, block, ArrayRef(steps.shape).drop_back(), ArrayRef(steps.strides).drop_back());
    forRange(b, index(b, 0), count, [&](OpBuilder &b, Value g) {
      Panel panel = packedPanel(b, item, add(b, firstPanel, g), scaled(b, block, blockSteps), blockSteps);
      forTiles(b, item, [&](OpBuilder &b, Value firstRow, int64_t rows) {
        Value at = sumsAt(b, g, firstRow);
        SmallVector<Value> sums;
        for (int64_t i = 0; i < rows * tile.vectors; ++i)
          sums.push_back(b.create<vector::LoadOp>(loc, vectorType, epilogue.tile(), add(b, at, index(b, i * lanes))));
        sums = sumSteps(b, steps.shape.size() - 1, index(b, 0), index(b, 0), rowStarts(b, xBase, firstRow, rows), panel,
                        tile.vectors, sums);
        for (auto [i, sum] : llvm::enumerate(sums))
          b.create<vector::StoreOp>(loc, sum, epilogue.tile(), add(b, at, index(b, i * lanes)));
      });
    });
  });
  Value endRow = b.create<arith::MinUIOp>(loc, scaled(b, item.endTile, tile.rows), index(b, p.m));
  forRange(b, index(b, 0), count, [&](OpBuilder &b, Value g) {
    Value panel = add(b, firstPanel, g), column = add(b, item.resultColumn, scaled(b, panel, columns));
    withValid(b, panel, [&](OpBuilder &b, int64_t valid) {
      forRange(b, chunkStart, endRow, [&](OpBuilder &b, Value row) {
        Value resultRow = offset(b, item.resultRow, row, p.rows.shape, p.resultRows);
        epilogue.writeRow(b, resultRow, valid, column, sumsAt(b, g, row), 2 * lanes);
      });
    });
  });
}

FailureOr<Kernel> GemmEmitter::emit() {
  packed = p.weight.has_value();
  steps = p.xSteps;
  direct = p.isDirect(context.tiles, context.compute);
  tile = p.tileOf(context.tiles, context.compute, y.blocks ? WeightBlocks::columns : 0);
  if (direct)
    widenTile();
  lanes = tile.lanes;
  columns = tile.columns();
  chooseBlocks();
  mask = ScoreMask::find(p, program, columns);
  passesBy =
      p.masked == Product::Values && steps.shape.size() == 1 && steps.strides[0] == 1 && p.k % stepsPassedBy == 0;
  if (passesBy) {
    steps.shape = {p.k / stepsPassedBy, stepsPassedBy};
    steps.strides = {stepsPassedBy, 1};
  }

  builder.addInput(p.x);
  y.addInput(builder, p.weight, columns);
  if (failed(epilogue.addInputs(builder, packed ? ArrayRef(p.y) : ArrayRef<Value>())))
    return failure();
  builder.begin();
  epilogue.bind(builder);
  xBuffer = builder.inputs[p.x];
  yBuffer = y.buffer(builder);

  int64_t panels = llvm::divideCeil(p.n, columns), tiles = llvm::divideCeil(p.m, tile.rows);
  int64_t chunks = llvm::divideCeil(tiles, llvm::divideCeil(rowsPerChunk(), tile.rows));
  chunkTiles = llvm::divideCeil(tiles, chunks);
  chunks = llvm::divideCeil(tiles, chunkTiles);
  if (blocked)
    groupPanels = std::clamp<int64_t>(p.batches() * chunks * panels / 16, 1, 4);
  int64_t groups = llvm::divideCeil(panels, groupPanels);
  // Few rows wait for y, of which the memory gives an element a cycle.
  int64_t work = p.batches() * std::max<int64_t>(p.m, 16) * p.n / 16 * p.k;
  parallelFor(context.builder, loc, p.batches() * chunks * groups, work, [&](OpBuilder &inner, Value number) {
    Item item = beginItem(inner, number, chunks, groups);
    blocked ? emitBlockedItem(inner, item) : emitItem(inner, item);
  });
  return builder.finish();
}

FailureOr<Kernel> host::emitProductKernel(KernelContext &context, KernelOp kernel) {
  SmallVector<Operation *> ops = kernel.getComputation();
  Operation *op = ops.front();
  FailureOr<RowProgram> program =
      buildRowProgram(ArrayRef(ops).drop_front(), op->getResult(0), ValueRange(kernel.getWritten()));
  FailureOr<Product> product = failure();
  if (kernel.getKind() == KernelKind::Product)
    product = describeProduct(op);
  if (failed(program) || (kernel.getKind() == KernelKind::Product && (failed(product) || !product->fits())))
    return kernel.emitOpError("can't be expressed as tiles of a product");
  if (kernel.getKind() == KernelKind::Depthwise)
    return emitDepthwiseKernel(context, op, *program);
  for (auto *emit : {emitRoundedProduct, emitBlockProduct, emitDotProduct, emitPackedProduct})
    if (auto made = emit(context, op->getLoc(), *product, *program))
      return *made;
  return GemmEmitter(context, op->getLoc(), *product, *program).emit();
}
