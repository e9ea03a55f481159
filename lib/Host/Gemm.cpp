//===- Gemm.cpp - matrix products -----------------------------------------===//
//
// out[batch, m, n] = sum over k of x[batch, m, k] * y[batch, k, n], then a row program on the register tile. Operands are
// views, so transposes and head splits of attention cost nothing. Constant right-hand sides are packed ahead of time
// into panels [n / columns][k][columns]; others are read in place where their columns are contiguous, else a panel is
// packed on the stack of the thread that uses it.
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "OpView.h"
#include "RowEmitter.h"
#include "RowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

struct GemmEmitter {
  KernelContext &context;
  Location loc;
  // x: [batch.., m, k], y: [batch.., k, n]. Where k or n of y is several dimensions that strides can't join (the
  // windows of a convolution), yGroups holds y with all of them: [batch.., kDims.., nDims..].
  Access x, y;
  std::optional<Access> yGroups;
  SmallVector<int64_t> kDims, nDims;
  SmallVector<int64_t> batch;
  int64_t m, n, k;
  int64_t columns, tileRows;
  bool packed = false;
  RowProgram epilogue;

  GemmEmitter(KernelContext &context, Location loc) : context(context), loc(loc) {}

  LogicalResult setOperands(Operation *op);
  FailureOr<Kernel> emit(Operation *op);

private:
  KernelBuilder *kernel = nullptr;
  Value xBuffer, yBuffer, tile;
  bool direct = false; // columns of y are contiguous and whole panels

  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value a, Value c) { return b.create<arith::AddIOp>(loc, a, c); }
  Value scaled(OpBuilder &b, Value v, int64_t factor) {
    return factor == 1 ? v : b.create<arith::MulIOp>(loc, v, index(b, factor)).getResult();
  }
  Value offsetOf(OpBuilder &b, const Access &access, ValueRange batchIndices);
  void forRange(OpBuilder &b, Value from, Value to, function_ref<void(OpBuilder &, Value)> body);
  Value packPanel(OpBuilder &b, Value base, Value firstColumn);
  void findGroups(Value operand);
  void emitItem(OpBuilder &b, Value item, int64_t panels, int64_t chunks, int64_t tilesPerChunk);
  void emitTile(OpBuilder &b, int64_t rows, Value firstRow, Value xBase, Value panel, Value panelBase,
                int64_t panelStride, Value firstColumn, Value firstResultRow);
  void emitEpilogue(OpBuilder &b, ArrayRef<Value> sums, Value firstColumn, Value firstResultRow);
};

} // namespace

bool host::isGemm(Operation *op) {
  StringRef name = OpView(op).name();
  return OpView(op).isAne() && (name == "matmul" || name == "linear") && isa<FloatType>(elementOf(op->getResult(0)));
}

/// Swaps the last two dimensions.
static Access swapped(const Access &access) {
  SmallVector<int64_t> perm;
  for (size_t d = 0; d < access.shape.size(); ++d)
    perm.push_back(d);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  return access.transpose(perm);
}

/// Looks through a reshape that joins dimensions strides can't join, so that no copy of the windows is made.
void GemmEmitter::findGroups(Value operand) {
  Operation *reshape = operand.getDefiningOp();
  if (!isView(reshape) || OpView(reshape).name() != "reshape" || y.root != operand)
    return;
  Access inner = trace(reshape->getOperand(0));
  size_t lead = y.shape.size() - 2, d = lead;
  if (inner.shape.size() < y.shape.size() || ArrayRef(inner.shape).take_front(lead) != ArrayRef(y.shape).take_front(lead))
    return;
  SmallVector<int64_t> first, second;
  int64_t count = 1;
  for (; d < inner.shape.size() && count < k; ++d) {
    count *= inner.shape[d];
    first.push_back(inner.shape[d]);
  }
  for (; d < inner.shape.size(); ++d)
    second.push_back(inner.shape[d]);
  if (count != k || numElements(second) != n)
    return;
  yGroups = inner;
  kDims = first;
  nDims = second;
}

LogicalResult GemmEmitter::setOperands(Operation *op) {
  OpView view(op);
  x = trace(op->getOperand(0));
  y = trace(op->getOperand(1));
  if (view.flag("transpose_x"))
    x = swapped(x);
  if (view.flag("transpose_y") || view.name() == "linear")
    y = swapped(y);
  if (x.shape.size() == 1)
    x = *x.reshape({1, x.shape[0]});
  m = x.shape[x.shape.size() - 2];
  k = x.shape.back();
  n = y.shape.back();
  if (!view.flag("transpose_y") && view.name() == "matmul")
    findGroups(op->getOperand(1));
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  batch.assign(shape.begin(), shape.end());
  batch.resize(std::max<int64_t>(0, static_cast<int64_t>(shape.size()) - 2));
  auto withBatch = [&](const Access &access) {
    SmallVector<int64_t> full(batch);
    full.append({access.shape[access.shape.size() - 2], access.shape.back()});
    return access.broadcast(full);
  };
  x = withBatch(x);
  if (yGroups) {
    SmallVector<int64_t> full(batch);
    full.append(kDims);
    full.append(nDims);
    yGroups = yGroups->broadcast(full);
    return success();
  }
  bool sharedY = y.shape.size() == 2 || numElements(ArrayRef(y.shape).drop_back(2)) == 1;
  Access matrix = y;
  if (sharedY) {
    Access two{y.root, {k, n}, {y.strides[y.strides.size() - 2], y.strides.back()}, y.offset};
    matrix = two;
  }
  y = withBatch(sharedY ? matrix : y);
  packed = sharedY && matrix.root.getDefiningOp<ConstOp>();
  if (sharedY) {
    // All batch rows meet the same matrix: one tall product, if the rows of x are evenly spaced.
    int64_t rows = numElements(batch) * m;
    if (FailureOr<Access> tall = x.reshape({rows, k}); succeeded(tall)) {
      x = *tall;
      y = matrix;
      batch.clear();
      m = rows;
    }
  }
  return success();
}

Value GemmEmitter::offsetOf(OpBuilder &b, const Access &access, ValueRange batchIndices) {
  Value sum = index(b, access.offset);
  for (auto [i, value] : llvm::enumerate(batchIndices))
    if (access.strides[i])
      sum = add(b, sum, scaled(b, value, access.strides[i]));
  return sum;
}

void GemmEmitter::forRange(OpBuilder &b, Value from, Value to, function_ref<void(OpBuilder &, Value)> body) {
  b.create<scf::ForOp>(loc, from, to, index(b, 1), ValueRange(),
                       [&](OpBuilder &inner, Location, Value i, ValueRange) {
                         body(inner, i);
                         inner.create<scf::YieldOp>(loc);
                       });
}

/// Copies columns firstColumn .. firstColumn + columns of y to [k][columns] on the stack; zeros beyond n.
Value GemmEmitter::packPanel(OpBuilder &b, Value base, Value firstColumn) {
  FloatType compute = context.compute;
  Value panel = b.create<memref::AllocaOp>(loc, MemRefType::get({k * columns}, compute), b.getI64IntegerAttr(64));
  // Strides of the column's and the row's dimensions.
  SmallVector<int64_t> rowDims{k}, columnDims{n}, rowStrides, columnStrides;
  if (yGroups) {
    rowDims = kDims;
    columnDims = nDims;
    ArrayRef<int64_t> strides = ArrayRef(yGroups->strides).drop_front(batch.size());
    rowStrides.assign(strides.begin(), strides.begin() + kDims.size());
    columnStrides.assign(strides.begin() + kDims.size(), strides.end());
  } else {
    rowStrides = {y.strides[y.strides.size() - 2]};
    columnStrides = {y.strides.back()};
  }
  Type element = elementOf(yGroups ? yGroups->root : y.root);
  forRange(b, index(b, 0), index(b, columns), [&](OpBuilder &b, Value j) {
    Value column = add(b, firstColumn, j);
    auto fill = [&](OpBuilder &b, bool valid) {
      Value start = base;
      if (valid)
        for (auto [i, stride] : llvm::zip_equal(delinearize(b, loc, column, columnDims), columnStrides))
          start = add(b, start, scaled(b, i, stride));
      // One loop per dimension of a row; `row` counts all of them.
      std::function<void(OpBuilder &, size_t, Value, Value)> nest = [&](OpBuilder &b, size_t d, Value row, Value at) {
        if (d == rowDims.size()) {
          Scalar s(b, loc, compute);
          Value v = s.constantOf(compute, 0);
          if (valid)
            v = s.fromMemory(b.create<memref::LoadOp>(loc, yBuffer, at), element);
          b.create<memref::StoreOp>(loc, v, panel, add(b, scaled(b, row, columns), j));
          return;
        }
        forRange(b, index(b, 0), index(b, rowDims[d]), [&](OpBuilder &b, Value i) {
          Value next = valid ? add(b, at, scaled(b, i, rowStrides[d])) : at;
          nest(b, d + 1, add(b, scaled(b, row, rowDims[d]), i), next);
        });
      };
      nest(b, 0, index(b, 0), start);
    };
    if (n % columns == 0) {
      fill(b, true);
      return;
    }
    Value inside = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, column, index(b, n));
    b.create<scf::IfOp>(
        loc, inside,
        [&](OpBuilder &b, Location) {
          fill(b, true);
          b.create<scf::YieldOp>(loc);
        },
        [&](OpBuilder &b, Location) {
          fill(b, false);
          b.create<scf::YieldOp>(loc);
        });
  });
  return panel;
}

/// Writes sums (one vector per row) through the epilogue to the outputs.
void GemmEmitter::emitEpilogue(OpBuilder &b, ArrayRef<Value> sums, Value firstColumn, Value firstResultRow) {
  ArrayRef<int64_t> rowShape = ArrayRef(epilogue.shape).drop_back();
  RowEmitter probe(epilogue, context.compute, columns, kernel->inputs, kernel->outputs);
  bool scalars = probe.needsScalars(), whole = n % columns == 0 && !scalars;
  auto vectorType = VectorType::get(columns, context.compute);
  if (whole && epilogue.values.size() == 1) {
    // Nothing but the product: straight from the registers.
    for (auto [r, sum] : llvm::enumerate(sums)) {
      RowEmitter emitter(epilogue, context.compute, columns, kernel->inputs, kernel->outputs);
      Value row = add(b, firstResultRow, index(b, r));
      emitter.beginRow(b, loc, delinearize(b, loc, row, rowShape));
      emitter.emitLane(b, loc, firstColumn, columns, sum);
    }
    return;
  }
  for (auto [r, sum] : llvm::enumerate(sums))
    b.create<vector::StoreOp>(loc, sum, tile, index(b, r * columns));
  forRange(b, index(b, 0), index(b, sums.size()), [&](OpBuilder &b, Value r) {
    RowEmitter emitter(epilogue, context.compute, columns, kernel->inputs, kernel->outputs);
    emitter.beginRow(b, loc, delinearize(b, loc, add(b, firstResultRow, r), rowShape));
    Value tileRow = scaled(b, r, columns);
    auto vectors = [&](OpBuilder &b) {
      Value sum = b.create<vector::LoadOp>(loc, vectorType, tile, tileRow);
      emitter.emitLane(b, loc, firstColumn, columns, sum);
    };
    if (whole) {
      vectors(b);
      return;
    }
    auto lanes = [&](OpBuilder &b, Value count) {
      forRange(b, index(b, 0), count, [&](OpBuilder &b, Value j) {
        Value sum = b.create<memref::LoadOp>(loc, tile, add(b, tileRow, j));
        emitter.emitLane(b, loc, add(b, firstColumn, j), 1, sum);
      });
    };
    Value left = b.create<arith::SubIOp>(loc, index(b, n), firstColumn);
    if (scalars || n < columns) {
      lanes(b, b.create<arith::MinUIOp>(loc, left, index(b, columns)));
      return;
    }
    Value full = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, left, index(b, columns));
    b.create<scf::IfOp>(
        loc, full,
        [&](OpBuilder &b, Location) {
          vectors(b);
          b.create<scf::YieldOp>(loc);
        },
        [&](OpBuilder &b, Location) {
          lanes(b, left);
          b.create<scf::YieldOp>(loc);
        });
  });
}

void GemmEmitter::emitTile(OpBuilder &b, int64_t rows, Value firstRow, Value xBase, Value panel, Value panelBase,
                           int64_t panelStride, Value firstColumn, Value firstResultRow) {
  int64_t rowStride = x.strides[x.strides.size() - 2], stepStride = x.strides.back();
  SmallVector<Value> starts;
  for (int64_t r = 0; r < rows; ++r)
    starts.push_back(add(b, xBase, scaled(b, add(b, firstRow, index(b, r)), rowStride)));
  // Few rows give few independent sums: several steps of k run side by side.
  int64_t unroll = rows <= 2 && k % 4 == 0 ? 4 : 1;
  auto vectorType = VectorType::get(columns, context.compute);
  auto panelType = VectorType::get(columns, cast<MemRefType>(panel.getType()).getElementType());
  Value zero = Scalar(b, loc, context.compute).constantOf(vectorType, 0);
  SmallVector<Value> sums(rows * unroll, zero);
  auto loop = b.create<scf::ForOp>(
      loc, index(b, 0), index(b, k), index(b, unroll), sums,
      [&](OpBuilder &b, Location, Value step, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t u = 0; u < unroll; ++u) {
          Value kk = u ? add(b, step, index(b, u)) : step;
          Scalar s(b, loc, context.compute);
          Value w = b.create<vector::LoadOp>(loc, panelType, panel, add(b, panelBase, scaled(b, kk, panelStride)));
          // A packed panel holds the compute type already.
          w = s.fromMemory(w, context.compute);
          for (int64_t r = 0; r < rows; ++r) {
            Value a = b.create<memref::LoadOp>(loc, xBuffer, add(b, starts[r], scaled(b, kk, stepStride)));
            a = s.fromMemory(a, elementOf(x.root));
            Value wide = b.create<vector::BroadcastOp>(loc, vectorType, a);
            Value &sum = next[u * rows + r];
            sum = b.create<vector::FMAOp>(loc, wide, w, sum);
          }
        }
        b.create<scf::YieldOp>(loc, next);
      });
  SmallVector<Value> totals(loop.getResults().take_front(rows));
  for (int64_t u = 1; u < unroll; ++u)
    for (int64_t r = 0; r < rows; ++r)
      totals[r] = b.create<arith::AddFOp>(loc, totals[r], loop.getResult(u * rows + r));
  emitEpilogue(b, totals, firstColumn, firstResultRow);
}

void GemmEmitter::emitItem(OpBuilder &b, Value item, int64_t panels, int64_t chunks, int64_t tilesPerChunk) {
  SmallVector<int64_t> space{numElements(batch), panels, chunks};
  SmallVector<Value> at = delinearize(b, loc, item, space);
  SmallVector<Value> batchIndices;
  if (!batch.empty())
    batchIndices = delinearize(b, loc, at[0], batch);
  Value firstColumn = scaled(b, at[1], columns);
  Value xBase = offsetOf(b, x, batchIndices);
  Value panel = yBuffer, panelBase;
  int64_t panelStride = columns;
  if (packed) {
    panelBase = scaled(b, at[1], columns * k);
  } else if (direct) {
    panelBase = add(b, offsetOf(b, y, batchIndices), firstColumn);
    panelStride = y.strides[y.strides.size() - 2];
  } else {
    panel = packPanel(b, offsetOf(b, yGroups ? *yGroups : y, batchIndices), firstColumn);
    panelBase = index(b, 0);
  }
  tile = b.create<memref::AllocaOp>(loc, MemRefType::get({tileRows * columns}, context.compute),
                                    b.getI64IntegerAttr(64));
  Value resultBase = scaled(b, at[0], m);
  int64_t fullTiles = m / tileRows, rest = m % tileRows, tiles = fullTiles + (rest ? 1 : 0);
  auto tileAt = [&](OpBuilder &b, Value t, int64_t rows) {
    Value firstRow = scaled(b, t, tileRows);
    emitTile(b, rows, firstRow, xBase, panel, panelBase, panelStride, firstColumn, add(b, resultBase, firstRow));
  };
  if (tiles == 1) {
    tileAt(b, index(b, 0), rest ? rest : tileRows);
    return;
  }
  Value from = scaled(b, at[2], tilesPerChunk);
  Value to = b.create<arith::MinUIOp>(loc, add(b, from, index(b, tilesPerChunk)), index(b, tiles));
  forRange(b, from, to, [&](OpBuilder &b, Value t) {
    if (!rest) {
      tileAt(b, t, tileRows);
      return;
    }
    Value last = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, t, index(b, fullTiles));
    b.create<scf::IfOp>(
        loc, last,
        [&](OpBuilder &b, Location) {
          tileAt(b, t, rest);
          b.create<scf::YieldOp>(loc);
        },
        [&](OpBuilder &b, Location) {
          tileAt(b, t, tileRows);
          b.create<scf::YieldOp>(loc);
        });
  });
}

FailureOr<Kernel> GemmEmitter::emit(Operation *op) {
  columns = context.tiles.columnsOf(context.compute);
  tileRows = context.tiles.rows;
  direct = !packed && !yGroups && y.strides.back() == 1 && n % columns == 0;
  Value yRoot = yGroups ? yGroups->root : y.root;
  int64_t elementBytes = context.compute.getWidth() / 8;
  if (!packed && !direct && k * columns * elementBytes > context.tiles.stackBytes)
    return failure();

  KernelBuilder builder(context, loc);
  kernel = &builder;
  builder.addInput(x.root);
  if (packed) {
    WeightLayout layout;
    layout.kind = WeightLayout::Panels;
    layout.view = y;
    layout.columns = columns;
    layout.storage = context.storageType(y.root);
    builder.addInput(y.root, layout);
  } else {
    builder.addInput(yRoot);
  }
  for (Value root : epilogue.inputs()) {
    // A constant that is both the packed matrix and an operand of the epilogue has two layouts.
    if (packed && root == y.root)
      return failure();
    builder.addInput(root);
  }
  if (packed && x.root == y.root)
    return failure();
  for (const RowOutput &out : epilogue.outputs)
    builder.addOutput(out.result);
  builder.begin();
  xBuffer = builder.inputs[x.root];
  yBuffer = builder.inputs[yRoot];

  OpBuilder &b = context.builder;
  int64_t panels = llvm::divideCeil(n, columns), tiles = llvm::divideCeil(m, tileRows);
  int64_t batches = numElements(batch);
  // At least 16 pieces, so that threads of different speed end together.
  int64_t chunks = std::clamp<int64_t>(llvm::divideCeil(16, batches * panels), 1, tiles);
  int64_t tilesPerChunk = llvm::divideCeil(tiles, chunks);
  chunks = llvm::divideCeil(tiles, tilesPerChunk);
  parallelFor(b, loc, batches * panels * chunks, batches * m * n / 16 * k,
              [&](OpBuilder &inner, Value item) { emitItem(inner, item, panels, chunks, tilesPerChunk); });
  return builder.finish();
}

FailureOr<Kernel> host::emitGemmKernel(KernelContext &context, Operation *op, ArrayRef<Operation *> epilogue) {
  GemmEmitter emitter(context, op->getLoc());
  if (failed(emitter.setOperands(op)))
    return failure();
  FailureOr<RowProgram> program = buildRowProgram(epilogue, op->getResult(0));
  if (failed(program))
    return failure();
  emitter.epilogue = std::move(*program);
  return emitter.emit(op);
}
