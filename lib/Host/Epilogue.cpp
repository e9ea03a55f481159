//===- Epilogue.cpp - from register tiles to memory -----------------------===//

#include "Epilogue.h"
#include "RowEmitter.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

LogicalResult Epilogue::addInputs(KernelBuilder &builder, ArrayRef<Value> packed) {
  for (Value root : program.inputs()) {
    if (llvm::is_contained(packed, root))
      return failure();
    builder.addInput(root);
  }
  for (const RowOutput &out : program.outputs)
    builder.addOutput(out.result);
  return success();
}

/// Whether the program is short enough to be repeated for every row of a tile, so that sums stay in registers.
bool Epilogue::isLight() const {
  int64_t cost = 0;
  for (const RowValue &v : program.values)
    cost += v.kind == RowValue::Compute && v.perLane ? (v.cheap ? 1 : 100) : 0;
  return cost <= 8;
}

void Epilogue::writeRow(OpBuilder &b, Value row, int64_t columns, Value firstColumn, Value at, int64_t widest) {
  RowEmitter emitter(program, context.base, widest, kernel->inputs, kernel->outputs);
  emitter.beginRow(b, loc, delinearize(b, loc, row, ArrayRef(program.shape).drop_back()));
  auto lanes = [&](OpBuilder &b, Value j, int64_t width) {
    Value from = add(b, at, j), sum;
    if (width == 1)
      sum = b.create<memref::LoadOp>(loc, buffer, from);
    else
      sum = b.create<vector::LoadOp>(loc, VectorType::get(width, context.compute), buffer, from);
    emitter.emitLane(b, loc, add(b, firstColumn, j), width, sum);
  };
  if (emitter.needsScalars()) {
    b.create<scf::ForOp>(loc, index(b, 0), index(b, columns), index(b, 1), ValueRange(),
                         [&](OpBuilder &inner, Location, Value j, ValueRange) {
                           lanes(inner, j, 1);
                           inner.create<scf::YieldOp>(loc);
                         });
    return;
  }
  for (int64_t j = 0, width = widest; j < columns; j += width) {
    while (width > columns - j)
      width /= 2;
    lanes(b, index(b, j), width);
  }
}

void Epilogue::allocate(OpBuilder &b, int64_t elements) {
  buffer = b.create<memref::AllocaOp>(loc, MemRefType::get({elements}, context.compute), b.getI64IntegerAttr(64));
}

void Epilogue::write(OpBuilder &b, ArrayRef<Value> sums, int64_t vectors, int64_t columns, RowAt rowAt,
                     Value firstColumn) {
  auto type = dyn_cast<VectorType>(sums[0].getType());
  int64_t rows = sums.size() / vectors, lanes = type ? type.getNumElements() : 1;
  RowEmitter probe(program, context.base, lanes, kernel->inputs, kernel->outputs);
  if (columns % lanes == 0 && !probe.needsScalars() && isLight()) {
    for (int64_t r = 0; r < rows; ++r) {
      RowEmitter emitter(program, context.base, lanes, kernel->inputs, kernel->outputs);
      Value row = rowAt(b, index(b, r));
      emitter.beginRow(b, loc, delinearize(b, loc, row, ArrayRef(program.shape).drop_back()));
      for (int64_t v = 0; v < columns / lanes; ++v)
        emitter.emitLane(b, loc, add(b, firstColumn, index(b, v * lanes)), lanes, sums[r * vectors + v]);
    }
    return;
  }
  // Through memory: the program is emitted once, in a loop over rows.
  int64_t stride = vectors * lanes;
  for (auto [i, sum] : llvm::enumerate(sums))
    if (type)
      b.create<vector::StoreOp>(loc, sum, buffer, index(b, i * lanes));
    else
      b.create<memref::StoreOp>(loc, sum, buffer, index(b, i));
  b.create<scf::ForOp>(loc, index(b, 0), index(b, rows), index(b, 1), ValueRange(),
                       [&](OpBuilder &inner, Location, Value r, ValueRange) {
                         Value at = inner.create<arith::MulIOp>(loc, r, index(inner, stride));
                         writeRow(inner, rowAt(inner, r), columns, firstColumn, at, 2 * lanes);
                         inner.create<scf::YieldOp>(loc);
                       });
}
