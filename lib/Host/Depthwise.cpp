//===- Depthwise.cpp - kernel of depthwise convolutions -------------------===//
//
// Lanes run over channels. A tile of a few output positions sums all taps of two vectors of channels, so that the
// weights of a tap are loaded once for the tile. Weights are packed into panels of those channels.
//
//===----------------------------------------------------------------------===//

#include "Epilogue.h"
#include "Product.h"
#include "WeightOperand.h"
#include "ane/IR/Window.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

struct DepthwiseEmitter {
  DepthwiseEmitter(KernelContext &context, ConvOp op, const RowProgram &program);
  FailureOr<Kernel> emit();

private:
  KernelContext &context;
  Location loc;
  Epilogue epilogue;
  Access x;
  WeightOperand w;
  /// [1, taps.., channels] of the weights.
  Access panels;
  Span rows, taps;
  int64_t channels, lanes, columns, tileRows;
  Value xBuffer, wBuffer;

  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value scaled(OpBuilder &b, Value v, int64_t factor) { return b.create<arith::MulIOp>(loc, v, index(b, factor)); }
  Value load(OpBuilder &b, Value buffer, Value at, int64_t width);
  void emitTile(OpBuilder &b, Value firstRow, int64_t count);
  void emitChannels(OpBuilder &b, ArrayRef<Value> starts, Value firstRow, Value panel, Value channel, int64_t vectors,
                    int64_t width);
  SmallVector<Value> sumTaps(OpBuilder &b, size_t dim, Value tap, Value offset,
                             function_ref<SmallVector<Value>(OpBuilder &, Value, Value, ValueRange)> body,
                             ValueRange sums);
};

} // namespace

DepthwiseEmitter::DepthwiseEmitter(KernelContext &context, ConvOp op, const RowProgram &program)
    : context(context), loc(op.getLoc()), epilogue(context, op.getLoc(), program), x(trace(op.getX())),
      w(context, op.getLoc(), trace(op.getWeight()).root) {
  Window window = op.getWindow();
  Access weight = trace(op.getWeight());
  lanes = context.tiles.registerLanesOf(context.compute);
  columns = 2 * lanes;
  tileRows = context.tiles.depthwiseRows;
  channels = x.shape[1];
  panels = Access(weight.root, {weight.base, {1}, {0}});
  rows.append(x.shape[0], x.strides[0]);
  for (size_t i = 0; i < window.kernel.size(); ++i) {
    rows.append(window.output[i], x.strides[2 + i] * window.strides[i]);
    taps.append(window.kernel[i], x.strides[2 + i] * window.dilations[i]);
    panels.shape.push_back(weight.shape[2 + i]);
    panels.strides.push_back(weight.strides[2 + i]);
  }
  panels.shape.push_back(channels);
  panels.strides.push_back(weight.strides[0]);
  rows.simplify();
}

Value DepthwiseEmitter::load(OpBuilder &b, Value buffer, Value at, int64_t width) {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value value = width == 1 ? b.create<memref::LoadOp>(loc, buffer, at).getResult()
                           : b.create<vector::LoadOp>(loc, VectorType::get(width, element), buffer, at).getResult();
  return Scalar(b, loc, context.compute).fromMemory(value, context.compute);
}

/// `body` for every tap: unrolled along the last dimension, in loops along the others.
SmallVector<Value>
DepthwiseEmitter::sumTaps(OpBuilder &b, size_t dim, Value tap, Value offset,
                          function_ref<SmallVector<Value>(OpBuilder &, Value, Value, ValueRange)> body,
                          ValueRange sums) {
  int64_t size = taps.shape[dim], stride = taps.strides[dim];
  auto step = [&](OpBuilder &b, Value i, ValueRange carried) {
    Value next = add(b, scaled(b, tap, size), i), at = add(b, offset, scaled(b, i, stride));
    return dim + 1 == taps.shape.size() ? body(b, next, at, carried) : sumTaps(b, dim + 1, next, at, body, carried);
  };
  if (dim + 1 == taps.shape.size() && size <= 9) {
    SmallVector<Value> carried(sums);
    for (int64_t i = 0; i < size; ++i)
      carried = step(b, index(b, i), carried);
    return carried;
  }
  auto loop = b.create<scf::ForOp>(loc, index(b, 0), index(b, size), index(b, 1), sums,
                                   [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
                                     inner.create<scf::YieldOp>(loc, step(inner, i, carried));
                                   });
  return SmallVector<Value>(loop.getResults());
}

/// Channels `channel` .. of a tile, whose weights begin at `panel`.
void DepthwiseEmitter::emitChannels(OpBuilder &b, ArrayRef<Value> starts, Value firstRow, Value panel, Value channel,
                                    int64_t vectors, int64_t width) {
  Type type = width == 1 ? Type(context.compute) : VectorType::get(width, context.compute);
  Scalar s(b, loc, context.compute);
  SmallVector<Value> sums(starts.size() * vectors, s.constantOf(type, 0));
  sums = sumTaps(
      b, 0, index(b, 0), channel,
      [&](OpBuilder &b, Value tap, Value at, ValueRange carried) {
        Scalar s(b, loc, context.compute);
        SmallVector<Value> next(carried);
        Value weightAt = add(b, panel, scaled(b, tap, columns));
        for (int64_t v = 0; v < vectors; ++v) {
          Value weight = w.load(b, wBuffer, add(b, weightAt, index(b, v * width)), width);
          for (auto [r, start] : llvm::enumerate(starts)) {
            Value from = add(b, add(b, start, at), index(b, v * width));
            Value &sum = next[r * vectors + v];
            sum = s.fma(load(b, xBuffer, from, width), weight, sum);
          }
        }
        return next;
      },
      sums);
  auto rowAt = [&](OpBuilder &b, Value r) { return add(b, firstRow, r); };
  epilogue.write(b, sums, vectors, vectors * width, rowAt, channel);
}

void DepthwiseEmitter::emitTile(OpBuilder &b, Value firstRow, int64_t count) {
  SmallVector<Value> starts;
  for (int64_t r = 0; r < count; ++r) {
    Value start = index(b, x.base);
    for (auto [i, stride] :
         llvm::zip_equal(delinearize(b, loc, add(b, firstRow, index(b, r)), rows.shape), rows.strides))
      start = add(b, start, scaled(b, i, stride));
    starts.push_back(start);
  }
  int64_t taps = this->taps.count(), whole = channels / columns;
  if (whole)
    b.create<scf::ForOp>(loc, index(b, 0), index(b, whole), index(b, 1), ValueRange(),
                         [&](OpBuilder &inner, Location, Value block, ValueRange) {
                           emitChannels(inner, starts, firstRow, scaled(inner, block, taps * columns),
                                        scaled(inner, block, columns), 2, lanes);
                           inner.create<scf::YieldOp>(loc);
                         });
  int64_t at = whole * columns;
  for (int64_t width = lanes; at < channels; at += width) {
    while (width > channels - at)
      width /= 2;
    emitChannels(b, starts, firstRow, index(b, whole * taps * columns + at % columns), index(b, at), 1, width);
  }
}

FailureOr<Kernel> DepthwiseEmitter::emit() {
  KernelBuilder builder(context, loc);
  builder.addInput(x.root);
  w.addInput(builder, panels, columns);
  if (failed(epilogue.addInputs(builder, {panels.root})))
    return failure();
  builder.begin();
  epilogue.bind(builder);
  xBuffer = builder.inputs[x.root];
  wBuffer = w.buffer(builder);
  int64_t m = rows.count(), tiles = llvm::divideCeil(m, tileRows), rest = m % tileRows;
  int64_t perItem = llvm::divideCeil(tiles, 64), items = llvm::divideCeil(tiles, perItem);
  auto tileAt = [&](OpBuilder &b, Value t) {
    Value firstRow = scaled(b, t, tileRows);
    if (!rest) {
      emitTile(b, firstRow, tileRows);
      return;
    }
    Value last = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, t, index(b, tiles - 1));
    auto branch = [&](int64_t count) {
      return [this, firstRow, count](OpBuilder &inner, Location) {
        emitTile(inner, firstRow, count);
        inner.create<scf::YieldOp>(loc);
      };
    };
    b.create<scf::IfOp>(loc, last, branch(rest), branch(tileRows));
  };
  parallelFor(context.builder, loc, items, m * channels / 8 * taps.count(), [&](OpBuilder &b, Value item) {
    epilogue.allocate(b, tileRows * columns);
    Value from = scaled(b, item, perItem);
    Value to = b.create<arith::MinUIOp>(loc, add(b, from, index(b, perItem)), index(b, tiles));
    b.create<scf::ForOp>(loc, from, to, index(b, 1), ValueRange(),
                         [&](OpBuilder &inner, Location, Value t, ValueRange) {
                           tileAt(inner, t);
                           inner.create<scf::YieldOp>(loc);
                         });
  });
  return builder.finish();
}

FailureOr<Kernel> host::emitDepthwiseKernel(KernelContext &context, Operation *op, const RowProgram &program) {
  return DepthwiseEmitter(context, cast<ConvOp>(op), program).emit();
}
