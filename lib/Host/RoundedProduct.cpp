//===- RoundedProduct.cpp - products of rows as bytes ---------------------===//
//
// Rows of x become integers, with a scale for each run of steps that has one in the weight, too (32; 16 in the formats
// Q2_K, Q3_K and Q6_K), and meet the integers of the weight as bytes, four steps in 32 bits of a column. Sums of a run
// are exact, so that all machines give the same.
//
// What --activations=int8 asks for are integers of one byte. Rows stay as exact as their products in fp32 with three,
// as many of whose bits are used as a sum of products holds: 23, and 20 with weights of 8 bits. Byte by byte, the
// highest first, products are added to what came before times 256. The sum may overflow on the way, but not in the end.
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

/// More rows are worth expanding the weight, if they stay exact (Gemm.cpp).
static constexpr int64_t mostRows = 16;

namespace {

class RoundedProductEmitter : public BlockTiles {
public:
  RoundedProductEmitter(KernelContext &context, Location loc, const Product &product, const WeightBlocks &blocks,
                        const RowProgram &program)
      : BlockTiles(context, loc, product, blocks, program), bytes(*context.bytes), terms(context.isRounding ? 1 : 3),
        bias(blocks.bits == 8 && bytes.isUnsigned ? 128 : blocks.bias) {}

private:
  const ByteProducts &bytes;
  /// Bytes of an integer of x.
  int64_t terms;
  /// What the bytes of the weight have too much.
  int64_t bias;
  /// The scratch memory in 32 bits: records of a row's groups, each of which holds the group's quads of the highest
  /// bytes, of the next ones, .., and, for each of its runs, the scale, the sum of its elements, and what the bias adds
  /// to a sum of products, negated.
  Value integers, floats;
  static constexpr int64_t quads = WeightBlocks::steps / 4;

  int64_t ofRun(int64_t run) const { return terms * quads + 3 * run; }
  int64_t recordWords() const { return ofRun(w.runs()); }
  /// An odd number of cache lines: rows stay out of each other's sets.
  int64_t rowWords() const { return (llvm::divideCeil(p.k / WeightBlocks::steps * recordWords(), 16) | 1) * 16; }
  int64_t scratchBytes() const override { return p.m * rowWords() * 4; }
  int64_t chunkRows() const override;
  double largestInteger() const;
  void quantise(OpBuilder &b, Value scratch) override;
  void quantiseRun(OpBuilder &b, Value from, Value record, int64_t run);
  SmallVector<Value> factors(OpBuilder &b, Value quad);
  Value multiply(OpBuilder &b, ArrayRef<Value> factors, Value x, Value sum);
  Value joined(OpBuilder &b, Value sum);
  SmallVector<Value> sumRun(OpBuilder &b, BlockReader &reader, int64_t run, ArrayRef<Value> records);
  SmallVector<Value> addGroup(OpBuilder &b, Value group, Value number, Value firstRow, int64_t rows,
                              ValueRange totals) override;

  /// LLVM finds the instructions for products that stay apart.
  bool areApart() const { return bytes.addQuads.empty() && bytes.multiplyPairs.empty(); }
  Value call(OpBuilder &b, StringRef intrinsic, Type type, ValueRange arguments) {
    return b.create<LLVM::CallIntrinsicOp>(loc, type, b.getStringAttr(intrinsic), arguments).getResult(0);
  }
  Value load(OpBuilder &b, Value buffer, Value record, int64_t at, Type type) {
    return splat(b, b.create<memref::LoadOp>(loc, buffer, add(b, record, at)), type);
  }
  VectorType words() { return VectorType::get(lanes, IntegerType::get(p.x.getContext(), 32)); }
  VectorType sumType() { return VectorType::get(areApart() ? 4 * lanes : lanes, words().getElementType()); }
  VectorType byteVector() { return VectorType::get(4 * lanes, IntegerType::get(p.x.getContext(), 8)); }
};

} // namespace

/// Their integers fill a quarter of the second-level cache.
int64_t RoundedProductEmitter::chunkRows() const {
  int64_t tile = context.tiles.blockRows, rows = context.tiles.cacheBytes / 16 / rowWords() / tile * tile;
  return std::min(p.m, std::max(rows, tile));
}

//===-- x in integers -----------------------------------------------------===//

/// Of x: a sum of a run's products fits in 32 bits, and rounding finds the integer in the lower bits of a float.
double RoundedProductEmitter::largestInteger() const {
  if (terms == 1)
    return 127;
  int64_t ofWeight = w.bits == 4 ? 15 : 128;
  return std::min<int64_t>((1 << 22) - 1, ((int64_t(1) << 31) - 1) / (ofWeight * w.run));
}

void RoundedProductEmitter::quantiseRun(OpBuilder &b, Value from, Value record, int64_t run) {
  Scalar s(b, loc, context.compute);
  const double largest = largestInteger();
  auto type = VectorType::get(w.run, context.compute), wide = VectorType::get(w.run, b.getI32Type());
  Value x = loadX(b, from, w.run);
  Value magnitude = b.create<vector::ReductionOp>(loc, vector::CombiningKind::MAXIMUMF, s.abs(x));
  // At least what keeps the scale and its inverse normal numbers. NaNs stay, as the scale.
  magnitude = b.create<arith::MaximumFOp>(loc, magnitude, s.constantOf(context.compute, 0x1p-100));
  Value inverse = s.splatLike(s.div(s.constantOf(context.compute, largest), magnitude), x);
  Value scale = s.div(magnitude, s.constantOf(context.compute, largest));
  // Beside this number the unit in the last place is 1: its lower bits are the rounded integer.
  Value bits = b.create<arith::BitcastOp>(loc, wide, s.fma(x, inverse, s.constantOf(type, 0x1.8p23)));
  Value integer = b.create<arith::SubIOp>(loc, bits, s.constantInt(wide, 0x4b400000));
  Value sum = b.create<vector::ReductionOp>(loc, vector::CombiningKind::ADD, integer);
  Value digits = integer;
  if (terms > 1) {
    // Bytes with a sign: what the lower ones have too much for one goes to the next.
    Value carry = s.constantInt(wide, 0x00808080);
    digits = b.create<arith::XOrIOp>(loc, b.create<arith::AddIOp>(loc, integer, carry), carry);
  }
  SmallVector<int64_t> order;
  for (int64_t quad = 0; quad < w.run / 4; ++quad)
    llvm::append_range(order, BlockReader::stepsOfQuad(w, quad));
  for (int64_t term = 0; term < terms; ++term) {
    Value row = digits;
    if (int64_t shift = 8 * (terms - 1 - term))
      row = b.create<arith::ShRUIOp>(loc, row, s.constantInt(wide, shift));
    row = b.create<arith::TruncIOp>(loc, VectorType::get(w.run, b.getI8Type()), row);
    row = b.create<vector::ShuffleOp>(loc, row, row, order);
    row = b.create<vector::BitCastOp>(loc, VectorType::get(w.run / 4, b.getI32Type()), row);
    b.create<vector::StoreOp>(loc, row, integers, add(b, record, term * quads + run * w.run / 4));
  }
  Value start = b.create<arith::MulIOp>(loc, sum, s.constantInt(sum.getType(), -bias));
  Value ofElements = s.mul(b.create<arith::SIToFPOp>(loc, context.compute, sum), scale);
  b.create<memref::StoreOp>(loc, scale, floats, add(b, record, ofRun(run)));
  b.create<memref::StoreOp>(loc, ofElements, floats, add(b, record, ofRun(run) + 1));
  b.create<memref::StoreOp>(loc, start, integers, add(b, record, ofRun(run) + 2));
}

void RoundedProductEmitter::quantise(OpBuilder &b, Value scratch) {
  integers = view(b, scratch, 0, p.m * rowWords(), b.getI32Type());
  floats = view(b, scratch, 0, p.m * rowWords(), b.getF32Type());
  parallelFor(b, loc, p.m, p.m * p.k, [&](OpBuilder &b, Value row) {
    Value from = add(b, scaled(b, row, p.rows.strides[0]), p.xOffset), first = scaled(b, row, rowWords());
    forRange(b, p.k / WeightBlocks::steps, [&](OpBuilder &b, Value group) {
      Value at = add(b, from, scaled(b, group, WeightBlocks::steps));
      Value record = add(b, first, scaled(b, group, recordWords()));
      for (int64_t run = 0; run < w.runs(); ++run)
        quantiseRun(b, add(b, at, run * w.run), record, run);
    });
  });
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

/// sum + products of the bytes of `x`, the same 32 bits for all columns.
Value RoundedProductEmitter::multiply(OpBuilder &b, ArrayRef<Value> factors, Value x, Value sum) {
  Scalar s(b, loc, context.compute);
  Value narrow = b.create<vector::BitCastOp>(loc, byteVector(), x);
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
    return call(b, bytes.addQuads, words(), {sum, b.create<vector::BitCastOp>(loc, words(), factors[0]), x});
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

/// The sums of products of all rows [row][vector], whose records of the group begin at `records`.
SmallVector<Value> RoundedProductEmitter::sumRun(OpBuilder &b, BlockReader &reader, int64_t run,
                                                 ArrayRef<Value> records) {
  Scalar s(b, loc, context.compute);
  int64_t tile = records.size() * vectors, firstQuad = run * w.run / 4;
  Value zero = s.constantInt(sumType(), 0);
  auto startOf = [&](int64_t i) { return load(b, integers, records[i / vectors], ofRun(run) + 2, words()); };
  // Where there is room for them, the sums of each term are apart, so that fewer instructions wait for each other.
  constexpr int64_t mostSums = 12;
  int64_t apart = tile * terms <= mostSums ? terms : 1;
  SmallVector<Value> parts(tile * apart, zero);
  if (bias && !areApart() && apart == terms)
    for (int64_t i = 0; i < tile; ++i)
      parts[(terms - 1) * tile + i] = startOf(i);
  SmallVector<SmallVector<Value>> weights;
  for (int64_t quad = firstQuad; quad < firstQuad + w.run / 4; ++quad)
    for (int64_t v = 0; v < vectors; ++v)
      weights.push_back(factors(b, reader.quad(quad, v * lanes)));
  auto shifted = [&](Value sum) -> Value { return b.create<arith::ShLIOp>(loc, sum, s.constantInt(sumType(), 8)); };
  for (int64_t first = 0; first < terms; first += apart) {
    if (first)
      for (Value &part : parts)
        part = shifted(part);
    for (int64_t quad = 0; quad < w.run / 4; ++quad)
      for (int64_t i = 0; i < tile * apart; ++i) {
        int64_t r = i % tile / vectors, v = i % vectors, term = first + i / tile;
        Value x = load(b, integers, records[r], term * quads + firstQuad + quad, words());
        parts[i] = multiply(b, weights[quad * vectors + v], x, parts[i]);
      }
  }
  SmallVector<Value> sums(ArrayRef(parts).take_front(tile));
  for (int64_t i = tile; i < tile * apart; ++i)
    sums[i % tile] = b.create<arith::AddIOp>(loc, shifted(sums[i % tile]), parts[i]);
  for (auto [i, sum] : llvm::enumerate(sums)) {
    sum = joined(b, sum);
    if (bias && (areApart() || apart < terms))
      sum = b.create<arith::AddIOp>(loc, sum, startOf(i));
  }
  return sums;
}

SmallVector<Value> RoundedProductEmitter::addGroup(OpBuilder &b, Value group, Value number, Value firstRow,
                                                   int64_t rows, ValueRange totals) {
  Scalar s(b, loc, context.compute);
  BlockReader reader(b, loc, w, yBuffer, group, lanes);
  auto type = VectorType::get(lanes, context.compute);
  SmallVector<Value> result(totals), records;
  for (int64_t r = 0; r < rows; ++r)
    records.push_back(add(b, scaled(b, add(b, firstRow, r), rowWords()), scaled(b, number, recordWords())));
  for (int64_t run = 0; run < w.runs(); ++run) {
    SmallVector<Value> sums = sumRun(b, reader, run, records);
    for (int64_t v = 0; v < vectors; ++v) {
      Value scale = reader.scales(run, v * lanes), offset = w.hasOffset ? reader.offsets(run, v * lanes) : Value();
      for (int64_t r = 0; r < rows; ++r) {
        Value &total = result[r * vectors + v], sum = b.create<arith::SIToFPOp>(loc, type, sums[r * vectors + v]);
        total = s.fma(s.mul(sum, load(b, floats, records[r], ofRun(run), type)), scale, total);
        if (offset)
          total = s.fma(load(b, floats, records[r], ofRun(run) + 1, type), offset, total);
      }
    }
  }
  return result;
}

std::optional<FailureOr<Kernel>> host::emitRoundedProduct(KernelContext &context, Location loc, const Product &product,
                                                          const RowProgram &program) {
  std::optional<WeightBlocks> blocks = product.blocks(context.compute);
  if (!context.bytes || !blocks || !BlockTiles::reads(product) || (!context.isRounding && product.m > mostRows))
    return std::nullopt;
  FailureOr<Kernel> kernel = RoundedProductEmitter(context, loc, product, *blocks, program).emit();
  if (succeeded(kernel))
    kernel->isRounded = context.isRounding;
  return kernel;
}
