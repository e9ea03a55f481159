//===- DotProduct.cpp - products of few rows with rows --------------------===//
//
// The scores of a decoder's step: few rows of x meet keys, whose steps are neighbours in memory. A tile of Gemm.cpp has
// columns in its lanes, so that it would first turn each panel round, which costs more than the products of few rows.
// Here lanes are steps, and a vector of y that was loaded once meets all rows.
//
//===----------------------------------------------------------------------===//

#include "DotProduct.h"
#include "Epilogue.h"
#include "ScoreMask.h"
#include "WeightOperand.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// Sums of more rows don't fit in registers; and more rows are worth turning panels round.
static constexpr int64_t mostRows = 4;
/// That an item computes, which threads share.
static constexpr int64_t columns = 16;

namespace {

class DotProductEmitter {
public:
  DotProductEmitter(KernelContext &context, Location loc, const Product &product, const RowProgram &program)
      : context(context), loc(loc), p(product), y(context, loc, product.y), epilogue(context, loc, program),
        mask(ScoreMask::find(product, program, columns)), lanes(context.tiles.registerLanesOf(context.compute)),
        together(std::min<int64_t>(4, lanes)), builder(context, loc) {}
  FailureOr<Kernel> emit();

private:
  KernelContext &context;
  Location loc;
  const Product &p;
  WeightOperand y;
  Epilogue epilogue;
  std::optional<ScoreMask> mask;
  int64_t lanes;
  /// Columns whose sums are made together.
  int64_t together;
  KernelBuilder builder;
  Value xBuffer, yBuffer;

  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value scaled(OpBuilder &b, Value v, int64_t factor) { return b.create<arith::MulIOp>(loc, v, index(b, factor)); }
  void emitItem(OpBuilder &b, Value number);
  void storeSums(OpBuilder &b, Value xStart, Value yStart);
  void storeDots(OpBuilder &b, int64_t firstRow, int64_t rows, Value xStart, Value yStart, Value column);
  Value totals(OpBuilder &b, ArrayRef<Value> sums);
};

} // namespace

/// The sum of the lanes of each of `together` vectors. Two become one whose neighbours are of one and of the other,
/// until one is left; then halves are added.
Value DotProductEmitter::totals(OpBuilder &b, ArrayRef<Value> sums) {
  Scalar s(b, loc, context.compute);
  SmallVector<Value> level(sums);
  for (int64_t size = 1; size < together; size *= 2) {
    // Runs of `size` lanes, every other one of both vectors.
    SmallVector<int64_t> even, odd;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      int64_t from = lane / (2 * size) * 2 * size + lane % size + (lane / size % 2 ? lanes : 0);
      even.push_back(from);
      odd.push_back(from + size);
    }
    SmallVector<Value> next;
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(s.add(b.create<vector::ShuffleOp>(loc, level[i], level[i + 1], even),
                           b.create<vector::ShuffleOp>(loc, level[i], level[i + 1], odd)));
    level = next;
  }
  Value total = level.front();
  for (int64_t width = lanes / 2; width >= together; width /= 2) {
    auto half = [&](int64_t from) {
      return b.create<vector::ExtractStridedSliceOp>(loc, total, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{width},
                                                     ArrayRef<int64_t>{1});
    };
    total = s.add(half(0), half(width));
  }
  return total;
}

/// The products of `rows` rows of x with `together` columns into the epilogue's tile.
void DotProductEmitter::storeDots(OpBuilder &b, int64_t firstRow, int64_t rows, Value xStart, Value yStart,
                                  Value column) {
  auto type = VectorType::get(lanes, context.compute);
  Type elementType = cast<MemRefType>(xBuffer.getType()).getElementType();
  Value zero = Scalar(b, loc, context.compute).constantOf(type, 0);
  auto loop = b.create<scf::ForOp>(
      loc, index(b, 0), index(b, p.k), index(b, lanes), SmallVector<Value>(rows * together, zero),
      [&](OpBuilder &b, Location, Value step, ValueRange carried) {
        Scalar s(b, loc, context.compute);
        SmallVector<Value> weights, next;
        for (int64_t c = 0; c < together; ++c)
          weights.push_back(
              y.load(b, yBuffer, add(b, add(b, yStart, step), index(b, c * p.columns.strides[0])), lanes));
        for (int64_t r = 0; r < rows; ++r) {
          Value from = add(b, add(b, xStart, step), index(b, (firstRow + r) * p.rows.strides[0]));
          Value x = b.create<vector::LoadOp>(loc, VectorType::get(lanes, elementType), xBuffer, from);
          x = s.fromMemory(x, elementOf(p.x));
          for (int64_t c = 0; c < together; ++c)
            next.push_back(s.fma(x, weights[c], carried[r * together + c]));
        }
        b.create<scf::YieldOp>(loc, next);
      });
  SmallVector<Value> sums(loop.getResults());
  for (int64_t r = 0; r < rows; ++r)
    b.create<vector::StoreOp>(loc, totals(b, ArrayRef(sums).slice(r * together, together)), epilogue.tile(),
                              add(b, column, index(b, (firstRow + r) * columns)));
}

/// The sums of a run of columns into the epilogue's tile, [row][column].
void DotProductEmitter::storeSums(OpBuilder &b, Value xStart, Value yStart) {
  // As many rows at a time as registers have room for.
  int64_t rows = llvm::divideCeil(p.m, llvm::divideCeil(p.m * together, context.tiles.sums));
  b.create<scf::ForOp>(loc, index(b, 0), index(b, columns), index(b, together), ValueRange(),
                       [&](OpBuilder &b, Location, Value column, ValueRange) {
                         Value from = add(b, yStart, scaled(b, column, p.columns.strides[0]));
                         for (int64_t first = 0; first < p.m; first += rows)
                           storeDots(b, first, std::min(rows, p.m - first), xStart, from, column);
                         b.create<scf::YieldOp>(loc);
                       });
}

/// A run of columns of one batch.
void DotProductEmitter::emitItem(OpBuilder &b, Value number) {
  epilogue.allocate(b, p.m * columns);
  SmallVector<Value> at = delinearize(b, loc, number, {p.batches(), p.n / columns});
  SmallVector<Value> batch = delinearize(b, loc, at[0], p.batch);
  auto offset = [&](int64_t first, ArrayRef<int64_t> strides) {
    Value sum = index(b, first);
    for (auto [i, stride] : llvm::zip_equal(batch, strides))
      sum = add(b, sum, scaled(b, i, stride));
    return sum;
  };
  Value firstColumn = scaled(b, at[1], columns), xStart = offset(p.xOffset, p.xBatch);
  Value yStart = add(b, offset(p.yOffset, p.yBatch), scaled(b, firstColumn, p.columns.strides[0]));
  Value resultRow = offset(0, p.batchRows), resultColumn = add(b, scaled(b, at[0], p.columnsPerBatch), firstColumn);
  if (mask) {
    auto sums = [&](OpBuilder &b, Location) {
      storeSums(b, xStart, yStart);
      b.create<scf::YieldOp>(loc);
    };
    auto zeros = [&](OpBuilder &b, Location) {
      Value zero = Scalar(b, loc, context.compute).constantOf(VectorType::get(columns, context.compute), 0);
      for (int64_t r = 0; r < p.m; ++r)
        b.create<vector::StoreOp>(loc, zero, epilogue.tile(), index(b, r * columns));
      b.create<scf::YieldOp>(loc);
    };
    b.create<scf::IfOp>(loc, mask->isSeen(b, loc, builder, resultRow, p.m, resultColumn), sums, zeros);
  } else {
    storeSums(b, xStart, yStart);
  }
  for (int64_t r = 0; r < p.m; ++r)
    epilogue.writeRow(b, add(b, resultRow, index(b, r * p.resultRows[0])), columns, resultColumn, index(b, r * columns),
                      2 * lanes);
}

FailureOr<Kernel> DotProductEmitter::emit() {
  builder.addInput(p.x);
  y.addInput(builder, p.weight, columns);
  if (failed(epilogue.addInputs(builder, {})))
    return failure();
  builder.begin();
  epilogue.bind(builder);
  xBuffer = builder.inputs[p.x];
  yBuffer = y.buffer(builder);
  parallelFor(context.builder, loc, p.batches() * p.n / columns, p.batches() * p.n * p.k,
              [&](OpBuilder &b, Value number) { emitItem(b, number); });
  return builder.finish();
}

std::optional<FailureOr<Kernel>> host::emitDotProduct(KernelContext &context, Location loc, const Product &product,
                                                      const RowProgram &program) {
  auto isContiguous = [](const Span &span) { return span.shape.size() == 1 && span.strides[0] == 1; };
  if (product.weight || product.m > mostRows || !isContiguous(product.ySteps) || !isContiguous(product.xSteps) ||
      product.rows.shape.size() != 1 || product.columns.shape.size() != 1 || product.columns.strides[0] == 1 ||
      product.n % columns != 0 || product.k % context.tiles.registerLanesOf(context.compute) != 0)
    return std::nullopt;
  return DotProductEmitter(context, loc, product, program).emit();
}
