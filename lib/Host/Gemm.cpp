//===- Gemm.cpp - kernels of matrix products and direct convolutions ------===//
//
// A register tile of rows x columns sums over all steps and goes through the epilogue, a row program. Constant
// right-hand sides are packed ahead of time into panels [columns of a tile][steps]; others are read in place where their
// columns are contiguous, else a panel is packed on the stack of the thread that uses it.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "OpView.h"
#include "Product.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

struct GemmEmitter {
  GemmEmitter(KernelContext &context, Location loc, const Product &product, const RowProgram &program)
      : context(context), loc(loc), p(product), epilogue(context, loc, program) {}
  FailureOr<Kernel> emit();

private:
  KernelContext &context;
  Location loc;
  const Product &p;
  Epilogue epilogue;
  RegisterTile tile;
  int64_t lanes, columns; // of a vector, of a panel
  bool packed = false, direct = false;
  Value xBuffer, yBuffer;

  /// Where y's panel of the current tile is: element base + step * stride.
  struct Panel {
    Value buffer, base;
    int64_t stride;
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

  void chooseTile();
  int64_t rowsPerChunk();
  Panel packPanel(OpBuilder &b, Value base, Value firstColumn);
  void emitItem(OpBuilder &b, Value item, int64_t chunks, int64_t panels, int64_t tilesPerChunk);
  void emitTile(OpBuilder &b, int64_t rows, int64_t valid, Value xBase, const Panel &panel, Value firstRow,
                Value resultRow, Value resultColumn);
  SmallVector<Value> sumSteps(OpBuilder &b, size_t dim, Value step, Value xOffset, ArrayRef<Value> starts,
                              const Panel &panel, int64_t vectors, ValueRange sums);
};

} // namespace

bool host::isGemm(Operation *op) {
  StringRef name = OpView(op).name();
  if (OpView(op).isAne() && (name == "matmul" || name == "linear"))
    return isa<FloatType>(elementOf(op->getResult(0)));
  return isDirectConv(op) || isDepthwiseConv(op) || isDirectTransposed(op);
}

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

/// The tile that covers the result with the least work. A step of a tile takes as long as its sums, but no less than
/// it takes to keep the multipliers busy.
void GemmEmitter::chooseTile() {
  double best = 0;
  for (const RegisterTile &candidate : context.tiles.tiles) {
    int64_t width = candidate.vectors * lanes;
    if (direct && p.n % width != 0)
      continue;
    auto steps = [&](int64_t rows) { return rows ? std::max<int64_t>(rows * candidate.vectors, 8) : 0; };
    double work = p.m / candidate.rows * steps(candidate.rows) + steps(p.m % candidate.rows);
    work *= llvm::divideCeil(p.n, width) * candidate.cost;
    if (best == 0 || work < best) {
      best = work;
      tile = candidate;
    }
  }
  columns = tile.vectors * lanes;
}

/// Rows whose part of x stays in the second-level cache while all panels pass by: half of it, or an eighth where the
/// panels themselves fit, too. At least 16 pieces, so that threads of different speed end together.
int64_t GemmEmitter::rowsPerChunk() {
  int64_t bytes = context.compute.getWidth() / 8, cache = context.tiles.cacheBytes;
  int64_t whole = numElements(shapeOf(p.x)) * bytes;
  int64_t perRow = std::max<int64_t>(1, std::min<int64_t>(p.k * bytes, whole / std::max<int64_t>(1, p.m * p.batches())));
  int64_t room = p.n * p.k * bytes <= cache / 2 ? cache / 8 : cache / 2;
  int64_t panels = llvm::divideCeil(p.n, columns), chunks = llvm::divideCeil(16, p.batches() * panels);
  return std::max<int64_t>(1, std::min<int64_t>(room / perRow, llvm::divideCeil(p.m, chunks)));
}

//===-- panels ------------------------------------------------------------===//

/// Copies columns firstColumn .. firstColumn + columns of y to [k][columns] on the stack; zeros beyond n.
GemmEmitter::Panel GemmEmitter::packPanel(OpBuilder &b, Value base, Value firstColumn) {
  FloatType compute = context.compute;
  Value panel = b.create<memref::AllocaOp>(loc, MemRefType::get({p.k * columns}, compute), b.getI64IntegerAttr(64));
  forRange(b, index(b, 0), index(b, columns), [&](OpBuilder &b, Value j) {
    Value column = add(b, firstColumn, j);
    auto fill = [&](OpBuilder &b, bool valid) {
      Value start = valid ? offset(b, base, column, p.columns.shape, p.columns.strides) : base;
      // One loop per dimension of a step; `step` counts all of them.
      std::function<void(OpBuilder &, size_t, Value, Value)> nest = [&](OpBuilder &b, size_t d, Value step, Value at) {
        if (d == p.ySteps.shape.size()) {
          Scalar s(b, loc, compute);
          Value v = s.constantOf(compute, 0);
          if (valid)
            v = s.fromMemory(b.create<memref::LoadOp>(loc, yBuffer, at), elementOf(p.y));
          b.create<memref::StoreOp>(loc, v, panel, add(b, scaled(b, step, columns), j));
          return;
        }
        forRange(b, index(b, 0), index(b, p.ySteps.shape[d]), [&](OpBuilder &b, Value i) {
          Value next = valid ? add(b, at, scaled(b, i, p.ySteps.strides[d])) : at;
          nest(b, d + 1, add(b, scaled(b, step, p.ySteps.shape[d]), i), next);
        });
      };
      nest(b, 0, index(b, 0), start);
    };
    if (p.n % columns == 0) {
      fill(b, true);
      return;
    }
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, column, index(b, p.n));
    ifElse(b, inside, [&](OpBuilder &b) { fill(b, true); }, [&](OpBuilder &b) { fill(b, false); });
  });
  return {panel, index(b, 0), columns};
}

//===-- tiles -------------------------------------------------------------===//

/// Adds the products of dimensions `dim`.. of the steps to `sums`. `step` counts steps of y, `xOffset` elements of x.
SmallVector<Value> GemmEmitter::sumSteps(OpBuilder &b, size_t dim, Value step, Value xOffset, ArrayRef<Value> starts,
                                         const Panel &panel, int64_t vectors, ValueRange sums) {
  int64_t size = p.xSteps.shape[dim], stride = p.xSteps.strides[dim];
  bool inner = dim + 1 == p.xSteps.shape.size();
  int64_t rows = starts.size(), unroll = inner ? sums.size() / (rows * vectors) : 1;
  auto vectorType = VectorType::get(lanes, context.compute);
  auto panelType = VectorType::get(lanes, cast<MemRefType>(panel.buffer.getType()).getElementType());
  auto body = [&](OpBuilder &b, Value i, ValueRange carried) {
    Value next = add(b, scaled(b, step, size), i), at = add(b, xOffset, scaled(b, i, stride));
    if (!inner)
      return sumSteps(b, dim + 1, next, at, starts, panel, vectors, carried);
    SmallVector<Value> result(carried);
    Scalar s(b, loc, context.compute);
    for (int64_t u = 0; u < unroll; ++u) {
      Value y = add(b, panel.base, scaled(b, u ? add(b, next, index(b, u)) : next, panel.stride));
      SmallVector<Value> weights;
      for (int64_t v = 0; v < vectors; ++v)
        weights.push_back(s.fromMemory(
            b.create<vector::LoadOp>(loc, panelType, panel.buffer, add(b, y, index(b, v * lanes))), context.compute));
      for (int64_t r = 0; r < rows; ++r) {
        Value from = add(b, starts[r], u ? add(b, at, index(b, u * stride)) : at);
        Value x = s.fromMemory(b.create<memref::LoadOp>(loc, xBuffer, from), elementOf(p.x));
        Value wide = b.create<vector::BroadcastOp>(loc, vectorType, x);
        for (int64_t v = 0; v < vectors; ++v) {
          Value &sum = result[(u * rows + r) * vectors + v];
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

void GemmEmitter::emitTile(OpBuilder &b, int64_t rows, int64_t valid, Value xBase, const Panel &panel, Value firstRow,
                           Value resultRow, Value resultColumn) {
  // Rows of one line are evenly spaced: a tile that doesn't cross lines needs one address.
  bool oneLine = p.rows.shape.back() % tile.rows == 0 || p.rows.shape.size() == 1;
  SmallVector<Value> starts{offset(b, xBase, firstRow, p.rows.shape, p.rows.strides)};
  for (int64_t r = 1; r < rows; ++r)
    starts.push_back(oneLine ? add(b, starts[0], index(b, r * p.rows.strides.back()))
                             : offset(b, xBase, add(b, firstRow, index(b, r)), p.rows.shape, p.rows.strides));
  int64_t vectors = llvm::divideCeil(valid, lanes);
  // Few sums leave the multipliers waiting: several steps run side by side.
  int64_t unroll = rows * vectors <= 4 && p.xSteps.shape.back() % 4 == 0 ? 4 : 1;
  Value zero = Scalar(b, loc, context.compute).constantOf(VectorType::get(lanes, context.compute), 0);
  SmallVector<Value> sums(rows * vectors * unroll, zero);
  sums = sumSteps(b, 0, index(b, 0), index(b, 0), starts, panel, vectors, sums);
  SmallVector<Value> totals(ArrayRef(sums).take_front(rows * vectors));
  for (auto [i, sum] : llvm::enumerate(ArrayRef(sums).drop_front(rows * vectors))) {
    Value &total = totals[i % (rows * vectors)];
    total = b.create<arith::AddFOp>(loc, total, sum);
  }
  auto rowAt = [&](OpBuilder &b, Value r) {
    return offset(b, resultRow, add(b, firstRow, r), p.rows.shape, p.resultRows);
  };
  epilogue.write(b, totals, vectors, valid, rowAt, resultColumn);
}

/// One panel of columns for one chunk of rows. Panels run fastest: neighbouring items share their rows of x.
void GemmEmitter::emitItem(OpBuilder &b, Value item, int64_t chunks, int64_t panels, int64_t tilesPerChunk) {
  SmallVector<Value> at = delinearize(b, loc, item, {p.batches(), chunks, panels});
  SmallVector<Value> batch = delinearize(b, loc, at[0], p.batch);
  auto batchOffset = [&](int64_t first, ArrayRef<int64_t> strides) {
    Value sum = index(b, first);
    for (auto [i, stride] : llvm::zip_equal(batch, strides))
      if (stride)
        sum = add(b, sum, scaled(b, i, stride));
    return sum;
  };
  Value firstColumn = scaled(b, at[2], columns), xBase = batchOffset(p.xOffset, p.xBatch);
  Value resultRow = batchOffset(0, p.batchRows);
  Value resultColumn = add(b, scaled(b, at[0], p.columnsPerBatch), firstColumn);
  epilogue.allocate(b, tile.rows * columns);
  int64_t full = p.m / tile.rows, rest = p.m % tile.rows, tiles = full + (rest ? 1 : 0);
  auto panelOfColumns = [&](OpBuilder &b, int64_t valid) {
    Panel panel{yBuffer, {}, columns};
    if (packed) {
      Value number = p.weight->shape[0] == 1 ? at[2] : add(b, scaled(b, at[0], panels), at[2]);
      panel.base = scaled(b, number, columns * p.k);
    } else if (direct) {
      panel.base = add(b, batchOffset(p.yOffset, p.yBatch), firstColumn);
      panel.stride = p.ySteps.strides[0];
    } else {
      panel = packPanel(b, batchOffset(p.yOffset, p.yBatch), firstColumn);
    }
    auto tileAt = [&](OpBuilder &b, Value t, int64_t rows) {
      emitTile(b, rows, valid, xBase, panel, scaled(b, t, tile.rows), resultRow, resultColumn);
    };
    if (tiles == 1) {
      tileAt(b, index(b, 0), rest ? rest : tile.rows);
      return;
    }
    Value from = scaled(b, at[1], tilesPerChunk);
    Value to = b.create<arith::MinUIOp>(loc, add(b, from, index(b, tilesPerChunk)), index(b, tiles));
    forRange(b, from, to, [&](OpBuilder &b, Value t) {
      if (!rest) {
        tileAt(b, t, tile.rows);
        return;
      }
      Value last = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, t, index(b, full));
      ifElse(b, last, [&](OpBuilder &b) { tileAt(b, t, rest); }, [&](OpBuilder &b) { tileAt(b, t, tile.rows); });
    });
  };
  int64_t left = p.n % columns;
  if (!left || panels == 1) {
    panelOfColumns(b, left ? left : columns);
    return;
  }
  Value last = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, at[2], index(b, panels - 1));
  ifElse(b, last, [&](OpBuilder &b) { panelOfColumns(b, left); }, [&](OpBuilder &b) { panelOfColumns(b, columns); });
}

FailureOr<Kernel> GemmEmitter::emit() {
  lanes = context.tiles.registerLanesOf(context.compute);
  packed = p.weight.has_value();
  direct = !packed && p.columns.shape.size() == 1 && p.ySteps.shape.size() == 1 && p.columns.strides[0] == 1 &&
           p.n % lanes == 0;
  chooseTile();
  if (!packed && !direct && p.k * columns * (context.compute.getWidth() / 8) > context.tiles.stackBytes)
    return failure();

  KernelBuilder builder(context, loc);
  builder.addInput(p.x);
  if (packed && p.x == p.y)
    return failure();
  std::optional<WeightLayout> layout;
  if (packed)
    layout = WeightLayout{WeightLayout::Panels, *p.weight, columns, context.storageType(p.y)};
  builder.addInput(p.y, layout);
  if (failed(epilogue.addInputs(builder, packed ? ArrayRef(p.y) : ArrayRef<Value>())))
    return failure();
  builder.begin();
  epilogue.bind(builder);
  xBuffer = builder.inputs[p.x];
  yBuffer = builder.inputs[p.y];

  int64_t panels = llvm::divideCeil(p.n, columns), tiles = llvm::divideCeil(p.m, tile.rows);
  int64_t tilesPerChunk = llvm::divideCeil(rowsPerChunk(), tile.rows), chunks = llvm::divideCeil(tiles, tilesPerChunk);
  parallelFor(context.builder, loc, p.batches() * chunks * panels, p.batches() * p.m * p.n / 16 * p.k,
              [&](OpBuilder &inner, Value item) { emitItem(inner, item, chunks, panels, tilesPerChunk); });
  return builder.finish();
}

FailureOr<Kernel> host::emitGemmKernel(KernelContext &context, Operation *op, ArrayRef<Operation *> epilogue) {
  FailureOr<RowProgram> program = buildRowProgram(epilogue, op->getResult(0));
  if (failed(program))
    return failure();
  if (isDepthwiseConv(op))
    return emitDepthwiseKernel(context, op, *program);
  FailureOr<Product> product = describeProduct(op);
  if (failed(product))
    return failure();
  return GemmEmitter(context, op->getLoc(), *product, *program).emit();
}
