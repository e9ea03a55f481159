//===- BlockProduct.cpp - products of few rows with weights in blocks -----===//
//
// What a decoder computes for each token, on machines without products of four bytes (RoundedProduct.cpp): rows of x
// meet a weight that is read once, so that the bytes of the weight decide. They are read as the file has them
// (WeightBlocks.h), and multiplied as integers, two steps in one instruction: 4 or 8 bits of the weight with two
// integers of 16 bits for each x, the second of which is what the first has rounded away, so that x is as exact as in
// fp32. (One alone loses 2^-16 of the largest of a run; SmolLM2's logits then move by 2.7e-4 of the largest.) Sums of a
// run are exact; they become floats with the run's scales.
//
//===----------------------------------------------------------------------===//

#include "BlockProduct.h"
#include "BlockTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// More rows are worth expanding the weight (Gemm.cpp).
static constexpr int64_t mostRows = 16;

namespace {

class BlockProductEmitter : public BlockTiles {
  using BlockTiles::BlockTiles;

  /// x in integers, the first of all elements and then the second, two steps in each of 32 bits; for each of its runs
  /// the scale, and the sum of its elements.
  Value integers, scales, sums;

  int64_t scratchBytes() const override { return p.m * (4 * p.k + 8 * runsOfRow()); }
  void quantise(OpBuilder &b, Value scratch) override;
  void quantiseRun(OpBuilder &b, Value from, Value run);
  Value multiply(OpBuilder &b, Value pairs, Value x, Value sum);
  Value joined(OpBuilder &b, Value sum);
  SmallVector<Value> addGroup(OpBuilder &b, Value group, Value number, Value firstRow, int64_t rows,
                              ValueRange totals) override;
};

} // namespace

//===-- x in integers -----------------------------------------------------===//

/// Largest magnitude of the integers, and how many of the second make one of the first: at most half of one is left.
static constexpr double largest = 32767, fine = 2 * largest;

void BlockProductEmitter::quantiseRun(OpBuilder &b, Value from, Value run) {
  Scalar s(b, loc, context.compute);
  int64_t width = std::min(lanes, w.run);
  auto type = VectorType::get(width, context.compute), wide = VectorType::get(width, b.getI32Type());
  SmallVector<Value> parts;
  // At least what keeps the scale and its inverse normal numbers. NaNs stay, as the scale.
  Value most = s.constantOf(type, 0x1p-110);
  for (int64_t i = 0; i < w.run; i += width) {
    parts.push_back(loadX(b, add(b, from, i), width));
    most = b.create<arith::MaximumFOp>(loc, most, s.abs(parts.back()));
  }
  Value magnitude = b.create<vector::ReductionOp>(loc, vector::CombiningKind::MAXIMUMF, most);
  Value inverse = s.splatLike(s.div(s.constantOf(context.compute, largest), magnitude), most);
  Value scale = s.div(magnitude, s.constantOf(context.compute, largest));
  // Beside this number the unit in the last place is 1: its lower bits are the rounded integer.
  Value rounding = s.constantOf(type, 0x1.8p23), zero = s.constantOf(type, 0), totals[] = {zero, zero};
  for (auto [i, part] : llvm::enumerate(parts)) {
    Value rest = part, factor = inverse;
    for (int64_t term : {0, 1}) {
      Value rounded = s.fma(rest, factor, rounding), integer = s.sub(rounded, rounding);
      totals[term] = s.add(totals[term], integer);
      Value bits = b.create<arith::BitcastOp>(loc, wide, rounded);
      Value halves = b.create<arith::TruncIOp>(loc, VectorType::get(width, b.getI16Type()), bits);
      Value pairs = b.create<vector::BitCastOp>(loc, VectorType::get(width / 2, b.getI32Type()), halves);
      Value at = b.create<arith::DivUIOp>(loc, add(b, scaled(b, run, w.run), int64_t(i) * width), index(b, 2));
      b.create<vector::StoreOp>(loc, pairs, integers, add(b, at, term * p.m * p.k / 2));
      rest = s.fma(rest, factor, s.neg(integer));
      factor = s.constantOf(type, fine);
    }
  }
  auto sumOf = [&](Value v) { return b.create<vector::ReductionOp>(loc, vector::CombiningKind::ADD, v).getResult(); };
  Value sum = s.mul(s.fma(sumOf(totals[1]), s.constantOf(context.compute, 1 / fine), sumOf(totals[0])), scale);
  b.create<memref::StoreOp>(loc, scale, scales, run);
  b.create<memref::StoreOp>(loc, sum, sums, run);
}

void BlockProductEmitter::quantise(OpBuilder &b, Value scratch) {
  int64_t elements = p.m * p.k, runs = p.m * runsOfRow();
  integers = view(b, scratch, 0, elements, b.getI32Type());
  scales = view(b, scratch, 4 * elements, runs, b.getF32Type());
  sums = view(b, scratch, 4 * elements + 4 * runs, runs, b.getF32Type());
  forRange(b, p.m, [&](OpBuilder &b, Value row) {
    Value from = add(b, scaled(b, row, p.rows.strides[0]), p.xOffset), first = scaled(b, row, runsOfRow());
    forRange(b, runsOfRow(),
             [&](OpBuilder &b, Value run) { quantiseRun(b, add(b, from, scaled(b, run, w.run)), add(b, first, run)); });
  });
}

//===-- products ----------------------------------------------------------===//

/// sum + products of integers: of each pair together, or, where the machine has nothing for that, apart. LLVM makes one
/// instruction of product and sum where the target has VNNI.
Value BlockProductEmitter::multiply(OpBuilder &b, Value pairs, Value x, Value sum) {
  Value product;
  if (StringRef intrinsic = context.tiles.multiplyPairs; !intrinsic.empty()) {
    product = b.create<LLVM::CallIntrinsicOp>(loc, sum.getType(), b.getStringAttr(intrinsic), ValueRange{pairs, x})
                  .getResult(0);
  } else {
    Value wide = b.create<arith::ExtSIOp>(loc, sum.getType(), pairs);
    product = b.create<arith::MulIOp>(loc, wide, b.create<arith::ExtSIOp>(loc, sum.getType(), x));
  }
  return b.create<arith::AddIOp>(loc, sum, product);
}

/// A sum for each column.
Value BlockProductEmitter::joined(OpBuilder &b, Value sum) {
  if (!context.tiles.multiplyPairs.empty())
    return sum;
  auto parts = b.create<vector::DeinterleaveOp>(loc, sum);
  return b.create<arith::AddIOp>(loc, parts.getRes1(), parts.getRes2());
}

SmallVector<Value> BlockProductEmitter::addGroup(OpBuilder &b, Value group, Value number, Value firstRow, int64_t rows,
                                                 ValueRange totals) {
  Scalar s(b, loc, context.compute);
  BlockReader reader(b, loc, w, yBuffer, group, lanes);
  auto floats = VectorType::get(lanes, context.compute), integersOfX = VectorType::get(lanes, b.getI32Type());
  auto pairs = VectorType::get(2 * lanes, b.getI16Type());
  bool areApart = context.tiles.multiplyPairs.empty();
  auto sumType = VectorType::get(areApart ? 2 * lanes : lanes, b.getI32Type());
  SmallVector<Value> result(totals), x, runOf;
  for (int64_t r = 0; r < rows; ++r) {
    Value row = add(b, firstRow, r);
    x.push_back(add(b, scaled(b, row, p.k / 2), scaled(b, number, WeightBlocks::steps / 2)));
    runOf.push_back(add(b, scaled(b, row, runsOfRow()), scaled(b, number, w.runs())));
  }
  // Few sums wait for each other's instructions: pairs take turns with some of them, which are exact.
  int64_t tile = rows * vectors, turns = std::max<int64_t>(1, 4 / tile);
  for (int64_t run = 0; run < w.runs(); ++run) {
    // Of the first integers, of the second, in each turn.
    SmallVector<Value> parts(turns * 2 * tile, s.constantInt(sumType, 0));
    for (int64_t pair = run * w.run / 2; pair < (run + 1) * w.run / 2; ++pair) {
      SmallVector<Value> weights;
      for (int64_t v = 0; v < vectors; ++v)
        weights.push_back(reader.pair(pair, v * lanes));
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t term : {0, 1}) {
          Value both = b.create<memref::LoadOp>(loc, integers, add(b, x[r], pair + term * p.m * p.k / 2));
          both = b.create<vector::BitCastOp>(loc, pairs, splat(b, both, integersOfX));
          for (int64_t v = 0; v < vectors; ++v) {
            Value &part = parts[(pair % turns * 2 + term) * tile + r * vectors + v];
            part = multiply(b, weights[v], both, part);
          }
        }
    }
    for (int64_t i = 2 * tile; i < turns * 2 * tile; ++i)
      parts[i % (2 * tile)] = b.create<arith::AddIOp>(loc, parts[i % (2 * tile)], parts[i]);
    for (int64_t v = 0; v < vectors; ++v) {
      Value scale = reader.scales(run, v * lanes), offset = w.hasOffset ? reader.offsets(run, v * lanes) : Value();
      for (int64_t r = 0; r < rows; ++r) {
        Value &total = result[r * vectors + v], at = add(b, runOf[r], run);
        Value scaleOfX = splat(b, b.create<memref::LoadOp>(loc, scales, at), floats);
        Value sumOfX = splat(b, b.create<memref::LoadOp>(loc, sums, at), floats);
        auto sumOf = [&](int64_t term) -> Value {
          return b.create<arith::SIToFPOp>(loc, floats, joined(b, parts[term * tile + r * vectors + v]));
        };
        Value products = s.fma(sumOf(1), s.constantOf(floats, 1 / fine), sumOf(0));
        if (w.bias)
          products = s.fma(products, scaleOfX, s.mul(sumOfX, -double(w.bias)));
        else
          products = s.mul(products, scaleOfX);
        total = s.fma(products, scale, total);
        if (offset)
          total = s.fma(sumOfX, offset, total);
      }
    }
  }
  return result;
}

std::optional<FailureOr<Kernel>> host::emitBlockProduct(KernelContext &context, Location loc, const Product &product,
                                                        const RowProgram &program) {
  std::optional<WeightBlocks> blocks = product.blocks(context.compute);
  if (!blocks || product.m > mostRows || !BlockTiles::reads(product))
    return std::nullopt;
  return BlockProductEmitter(context, loc, product, *blocks, program).emit();
}
