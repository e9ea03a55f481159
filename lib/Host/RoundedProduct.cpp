//===- RoundedProduct.cpp - products of rows in 8 bits --------------------===//
//
// What --activations=int8 asks for: rows of x are rounded to integers of 8 bits, with a scale for each run of steps
// that has one in the weight, too (32; 16 in the formats Q2_K, Q3_K and Q6_K). They meet the integers of the weight,
// four steps in 32 bits of a column. Sums of a run are exact, so that all machines give the same.
//
// x is written in the order in which the weight's bytes come out of their panels (BlockReader::quad).
//
//===----------------------------------------------------------------------===//

#include "RoundedProduct.h"
#include "BlockTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

namespace {

class RoundedProductEmitter : public BlockTiles {
public:
  RoundedProductEmitter(KernelContext &context, Location loc, const Product &product, const WeightBlocks &blocks,
                        const RowProgram &program)
      : BlockTiles(context, loc, product, blocks, program), bytes(*context.bytes),
        bias(blocks.bits == 8 && bytes.isUnsigned ? 128 : blocks.bias) {}

private:
  const ByteProducts &bytes;
  /// What the bytes of the weight have too much.
  int64_t bias;
  /// x, four steps in each of 32 bits; for each of its runs the scale, the sum of its elements, and what the bias adds
  /// to a sum of products, negated.
  Value integers, scales, sums, starts;

  int64_t scratchBytes() const override { return p.m * (p.k + 12 * runsOfRow()); }
  int64_t chunkRows() const override;
  void quantise(OpBuilder &b, Value scratch) override;
  void quantiseRow(OpBuilder &b, Value row);
  void quantiseRun(OpBuilder &b, Value from, Value run);
  SmallVector<Value> factors(OpBuilder &b, Value quad);
  Value multiply(OpBuilder &b, ArrayRef<Value> factors, Value x, Value sum);
  Value joined(OpBuilder &b, Value sum);
  SmallVector<Value> addGroup(OpBuilder &b, Value group, Value number, Value firstRow, int64_t rows,
                              ValueRange totals) override;

  /// LLVM finds the instructions for products that stay apart.
  bool areApart() const { return bytes.addQuads.empty() && bytes.multiplyPairs.empty(); }
  Value call(OpBuilder &b, StringRef intrinsic, Type type, ValueRange arguments) {
    return b.create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(intrinsic), arguments).getResult(0);
  }
  VectorType words() { return VectorType::get(lanes, IntegerType::get(p.x.getContext(), 32)); }
  VectorType byteVector() { return VectorType::get(4 * lanes, IntegerType::get(p.x.getContext(), 8)); }
};

} // namespace

/// Their integers fill a quarter of the second-level cache.
int64_t RoundedProductEmitter::chunkRows() const {
  int64_t tile = context.tiles.blockRows, rows = context.tiles.cacheBytes / 4 / p.k / tile * tile;
  return std::min(p.m, std::max(rows, tile));
}

//===-- x in integers -----------------------------------------------------===//

void RoundedProductEmitter::quantiseRun(OpBuilder &b, Value from, Value run) {
  Scalar s(b, loc, context.compute);
  constexpr double largest = 127;
  auto type = VectorType::get(w.run, context.compute), wide = VectorType::get(w.run, b.getI32Type());
  Value x = loadX(b, from, w.run);
  Value magnitude = b.create<vector::ReductionOp>(loc, vector::CombiningKind::MAXIMUMF, s.abs(x));
  // At least what keeps the scale and its inverse normal numbers. NaNs stay, as the scale.
  magnitude = b.create<arith::MaximumFOp>(loc, magnitude, s.constantOf(context.compute, 0x1p-110));
  Value inverse = s.splatLike(s.div(s.constantOf(context.compute, largest), magnitude), x);
  Value scale = s.div(magnitude, s.constantOf(context.compute, largest));
  // Beside this number the unit in the last place is 1: its lower bits are the rounded integer.
  Value rounding = s.constantOf(type, 0x1.8p23), rounded = s.fma(x, inverse, rounding);
  Value sum = b.create<vector::ReductionOp>(loc, vector::CombiningKind::ADD, s.sub(rounded, rounding));
  Value bits = b.create<arith::BitcastOp>(loc, wide, rounded);
  Value rows = b.create<arith::TruncIOp>(loc, VectorType::get(w.run, b.getI8Type()), bits);
  SmallVector<int64_t> order;
  for (int64_t quad = 0; quad < w.run / 4; ++quad)
    llvm::append_range(order, BlockReader::stepsOfQuad(w, quad));
  rows = b.create<vector::ShuffleOp>(loc, rows, rows, order);
  Value quads = b.create<vector::BitCastOp>(loc, VectorType::get(w.run / 4, b.getI32Type()), rows);
  b.create<vector::StoreOp>(loc, quads, integers, scaled(b, run, w.run / 4));
  b.create<memref::StoreOp>(loc, scale, scales, run);
  b.create<memref::StoreOp>(loc, s.mul(sum, scale), sums, run);
  Value start = s.mul(sum, s.constantOf(context.compute, -double(bias)));
  b.create<memref::StoreOp>(loc, b.create<arith::FPToSIOp>(loc, b.getI32Type(), start), starts, run);
}

void RoundedProductEmitter::quantiseRow(OpBuilder &b, Value row) {
  Value from = add(b, scaled(b, row, p.rows.strides[0]), p.xOffset), first = scaled(b, row, runsOfRow());
  forRange(b, runsOfRow(),
           [&](OpBuilder &b, Value run) { quantiseRun(b, add(b, from, scaled(b, run, w.run)), add(b, first, run)); });
}

void RoundedProductEmitter::quantise(OpBuilder &b, Value scratch) {
  int64_t elements = p.m * p.k, runs = p.m * runsOfRow();
  integers = view(b, scratch, 0, elements / 4, b.getI32Type());
  scales = view(b, scratch, elements, runs, b.getF32Type());
  sums = view(b, scratch, elements + 4 * runs, runs, b.getF32Type());
  starts = view(b, scratch, elements + 8 * runs, runs, b.getI32Type());
  parallelFor(b, loc, p.m, elements, [&](OpBuilder &b, Value row) { quantiseRow(b, row); });
}

//===-- products ----------------------------------------------------------===//

/// What x is multiplied with, one after the other: the bytes of a quad; or, where sums of two products of bytes would
/// saturate, half of them at a time.
SmallVector<Value> RoundedProductEmitter::factors(OpBuilder &b, Value quad) {
  Scalar s(b, loc, context.compute);
  if (w.bits == 8 && bytes.isUnsigned)
    quad = b.create<arith::XOrIOp>(loc, quad, s.constantInt(byteVector(), -128));
  if (!bytes.addQuads.empty() || areApart() || w.bits == 4)
    return {quad};
  auto halves = VectorType::get(2 * lanes, b.getI16Type());
  Value both = b.create<vector::BitCastOp>(loc, halves, quad);
  SmallVector<Value> result;
  for (int64_t mask : {0x00ff, -0x0100}) {
    Value half = b.create<arith::AndIOp>(loc, both, s.constantInt(halves, mask));
    result.push_back(b.create<vector::BitCastOp>(loc, byteVector(), half));
  }
  return result;
}

/// sum + products of the bytes of `x`, 32 bits for all columns.
Value RoundedProductEmitter::multiply(OpBuilder &b, ArrayRef<Value> factors, Value x, Value sum) {
  Scalar s(b, loc, context.compute);
  Value wide = splat(b, x, words()), narrow = b.create<vector::BitCastOp>(loc, byteVector(), wide);
  if (areApart()) {
    auto halves = VectorType::get(4 * lanes, b.getI16Type());
    Value weight = w.bits == 8 ? b.create<arith::ExtSIOp>(loc, halves, factors[0]).getResult()
                               : b.create<arith::ExtUIOp>(loc, halves, factors[0]).getResult();
    Value products = b.create<arith::MulIOp>(loc, weight, b.create<arith::ExtSIOp>(loc, halves, narrow));
    return b.create<arith::AddIOp>(loc, sum, b.create<arith::ExtSIOp>(loc, sum.getType(), products));
  }
  if (!bytes.addQuads.empty()) {
    if (!bytes.isUnsigned)
      return call(b, bytes.addQuads, words(), {sum, factors[0], narrow});
    return call(b, bytes.addQuads, words(), {sum, b.create<vector::BitCastOp>(loc, words(), factors[0]), wide});
  }
  auto pairs = VectorType::get(2 * lanes, b.getI16Type());
  for (Value factor : factors) {
    Value products = call(b, bytes.multiplyPairs, pairs, {factor, narrow});
    products = call(b, context.tiles.multiplyPairs, words(), {products, s.constantInt(pairs, 1)});
    sum = b.create<arith::AddIOp>(loc, sum, products);
  }
  return sum;
}

/// A sum for each column.
Value RoundedProductEmitter::joined(OpBuilder &b, Value sum) {
  for (int64_t apart = areApart() ? 4 : 1; apart > 1; apart /= 2) {
    auto parts = b.create<vector::DeinterleaveOp>(loc, sum);
    sum = b.create<arith::AddIOp>(loc, parts.getRes1(), parts.getRes2());
  }
  return sum;
}

SmallVector<Value> RoundedProductEmitter::addGroup(OpBuilder &b, Value group, Value number, Value firstRow,
                                                   int64_t rows, ValueRange totals) {
  Scalar s(b, loc, context.compute);
  BlockReader reader(b, loc, w, yBuffer, group, lanes);
  auto floats = VectorType::get(lanes, context.compute);
  auto sumType = VectorType::get(areApart() ? 4 * lanes : lanes, b.getI32Type());
  SmallVector<Value> result(totals), x, runOf;
  for (int64_t r = 0; r < rows; ++r) {
    Value row = add(b, firstRow, r);
    x.push_back(add(b, scaled(b, row, p.k / 4), scaled(b, number, WeightBlocks::steps / 4)));
    runOf.push_back(add(b, scaled(b, row, runsOfRow()), scaled(b, number, w.runs())));
  }
  auto loadRun = [&](Value buffer, int64_t r, int64_t run, Type type) {
    return splat(b, b.create<memref::LoadOp>(loc, buffer, add(b, runOf[r], run)), type);
  };
  for (int64_t run = 0; run < w.runs(); ++run) {
    SmallVector<Value> parts(rows * vectors, s.constantInt(sumType, 0));
    if (bias && !areApart())
      for (int64_t i = 0; i < rows * vectors; ++i)
        parts[i] = loadRun(starts, i / vectors, run, sumType);
    for (int64_t quad = run * w.run / 4; quad < (run + 1) * w.run / 4; ++quad) {
      SmallVector<SmallVector<Value>> weights;
      for (int64_t v = 0; v < vectors; ++v)
        weights.push_back(factors(b, reader.quad(quad, v * lanes)));
      for (int64_t r = 0; r < rows; ++r) {
        Value ofRow = b.create<memref::LoadOp>(loc, integers, add(b, x[r], quad));
        for (int64_t v = 0; v < vectors; ++v)
          parts[r * vectors + v] = multiply(b, weights[v], ofRow, parts[r * vectors + v]);
      }
    }
    for (int64_t v = 0; v < vectors; ++v) {
      Value scale = reader.scales(run, v * lanes), offset = w.hasOffset ? reader.offsets(run, v * lanes) : Value();
      for (int64_t r = 0; r < rows; ++r) {
        Value &total = result[r * vectors + v], sum = joined(b, parts[r * vectors + v]);
        if (bias && areApart())
          sum = b.create<arith::AddIOp>(loc, sum, loadRun(starts, r, run, words()));
        Value products = s.mul(b.create<arith::SIToFPOp>(loc, floats, sum), loadRun(scales, r, run, floats));
        total = s.fma(products, scale, total);
        if (offset)
          total = s.fma(loadRun(sums, r, run, floats), offset, total);
      }
    }
  }
  return result;
}

std::optional<FailureOr<Kernel>> host::emitRoundedProduct(KernelContext &context, Location loc, const Product &product,
                                                          const RowProgram &program) {
  std::optional<WeightBlocks> blocks = product.blocks(context.compute);
  if (!context.bytes || !blocks || !BlockTiles::reads(product))
    return std::nullopt;
  FailureOr<Kernel> kernel = RoundedProductEmitter(context, loc, product, *blocks, program).emit();
  if (succeeded(kernel))
    kernel->isRounded = true;
  return kernel;
}
