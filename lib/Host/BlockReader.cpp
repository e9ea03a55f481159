//===- BlockReader.cpp - vectors of weights in blocks ---------------------===//

#include "BlockReader.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

Value BlockReader::load(int64_t at, int64_t bytes) {
  Value from = b.create<arith::AddIOp>(loc, group, b.create<arith::ConstantIndexOp>(loc, at));
  return b.create<vector::LoadOp>(loc, VectorType::get(bytes, b.getI8Type()), buffer, from);
}

Value BlockReader::floats(int64_t at, int64_t first) {
  int64_t size = blocks.halfScales ? 2 : 4;
  Value bytes = load(at + first * size, lanes * size);
  FloatType stored = blocks.halfScales ? b.getF16Type() : b.getF32Type();
  Value values = b.create<vector::BitCastOp>(loc, VectorType::get(lanes, stored), bytes);
  return blocks.halfScales ? b.create<arith::ExtFOp>(loc, VectorType::get(lanes, b.getF32Type()), values) : values;
}

Value BlockReader::pair(int64_t number, int64_t first) {
  auto type = VectorType::get(2 * lanes, b.getI16Type());
  if (blocks.bits == 8) {
    Value bytes = load(blocks.integersAt() + (number * WeightBlocks::columns + first) * 2, 2 * lanes);
    return b.create<arith::ExtSIOp>(loc, type, bytes);
  }
  // Four pairs are in the same 32 bits of a column.
  Value bytes = load(blocks.integersAt() + (number / 4 * WeightBlocks::columns + first) * 4, 4 * lanes);
  Value values = b.create<vector::BitCastOp>(loc, type, bytes);
  Scalar s(b, loc, b.getF32Type());
  if (int64_t shift = number % 4 * 4)
    values = b.create<arith::ShRUIOp>(loc, values, s.constantInt(type, shift));
  return b.create<arith::AndIOp>(loc, values, s.constantInt(type, 15));
}

SmallVector<int64_t, 4> BlockReader::stepsOfQuad(const WeightBlocks &blocks, int64_t number) {
  int64_t first = number * 4;
  if (blocks.bits == 8)
    return {first, first + 1, first + 2, first + 3};
  // Every other one of the eight in 32 bits, as a mask leaves them.
  first -= number % 2 * 2;
  return {first, first + 4, first + 1, first + 5};
}

Value BlockReader::quad(int64_t number, int64_t first) {
  auto type = VectorType::get(4 * lanes, b.getI8Type());
  if (blocks.bits == 8) {
    auto pairs = VectorType::get(lanes, b.getI16Type());
    Value halves[2];
    for (int64_t i : {0, 1}) {
      int64_t at = ((2 * number + i) * WeightBlocks::columns + first) * 2;
      halves[i] = b.create<vector::BitCastOp>(loc, pairs, load(blocks.integersAt() + at, 2 * lanes));
    }
    return b.create<vector::BitCastOp>(loc, type, b.create<vector::InterleaveOp>(loc, halves[0], halves[1]));
  }
  // Two quads are in the same 32 bits of a column.
  Scalar s(b, loc, b.getF32Type());
  Value values = load(blocks.integersAt() + (number / 2 * WeightBlocks::columns + first) * 4, 4 * lanes);
  if (number % 2) {
    auto words = VectorType::get(lanes, b.getI32Type());
    values = b.create<vector::BitCastOp>(loc, words, values);
    values = b.create<arith::ShRUIOp>(loc, values, s.constantInt(words, 4));
    values = b.create<vector::BitCastOp>(loc, type, values);
  }
  return b.create<arith::AndIOp>(loc, values, s.constantInt(type, 15));
}

void BlockReader::expand(Value panel, Value at) {
  auto type = VectorType::get(lanes, b.getF32Type()), wide = VectorType::get(lanes, b.getI32Type());
  Scalar s(b, loc, b.getF32Type());
  Value half = s.constantInt(wide, 16);
  for (int64_t first = 0; first < WeightBlocks::columns; first += lanes)
    for (int64_t run = 0; run < blocks.runs(); ++run) {
      Value scale = scales(run, first), offset = blocks.hasOffset ? offsets(run, first) : s.constantOf(type, 0);
      if (blocks.bias)
        offset = s.fma(scale, s.constantOf(type, -double(blocks.bias)), offset);
      for (int64_t step = run * blocks.run; step < (run + 1) * blocks.run; step += 2) {
        Value both = b.create<vector::BitCastOp>(loc, wide, pair(step / 2, first));
        for (int64_t odd : {0, 1}) {
          Value up = odd ? both : b.create<arith::ShLIOp>(loc, both, half);
          Value integer = b.create<arith::ShRSIOp>(loc, up, half);
          Value element = s.fma(b.create<arith::SIToFPOp>(loc, type, integer), scale, offset);
          Value to = b.create<arith::ConstantIndexOp>(loc, (step + odd) * WeightBlocks::columns + first);
          b.create<vector::StoreOp>(loc, element, panel, b.create<arith::AddIOp>(loc, at, to).getResult());
        }
      }
    }
}

Value BlockReader::tableElement(OpBuilder &b, Location loc, const WeightBlocks &blocks, Value buffer, int64_t k,
                                Value at) {
  auto index = [&](int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); };
  auto add = [&](Value x, Value y) -> Value { return b.create<arith::AddIOp>(loc, x, y); };
  auto mul = [&](Value x, int64_t y) -> Value { return b.create<arith::MulIOp>(loc, x, index(y)); };
  auto div = [&](Value x, int64_t y) -> Value { return b.create<arith::DivUIOp>(loc, x, index(y)); };
  auto rem = [&](Value x, int64_t y) -> Value { return b.create<arith::RemUIOp>(loc, x, index(y)); };
  Value row = div(at, k), step = rem(at, k), column = rem(row, WeightBlocks::columns);
  Value inGroup = rem(step, WeightBlocks::steps);
  Value group = add(mul(div(row, WeightBlocks::columns), blocks.panelBytes(k)),
                    mul(div(step, WeightBlocks::steps), blocks.groupBytes()));
  auto load = [&](Value from, Type type) -> Value {
    int64_t bytes = type.getIntOrFloatBitWidth() / 8;
    Value raw = b.create<vector::LoadOp>(loc, VectorType::get(bytes, b.getI8Type()), buffer, from);
    Value value = b.create<vector::BitCastOp>(loc, VectorType::get(1, type), raw);
    return b.create<vector::ExtractOp>(loc, value, ArrayRef<int64_t>{0});
  };
  auto scaleAt = [&](int64_t first) -> Value {
    Value from = add(group, add(index(first), mul(div(inGroup, blocks.run), blocks.scaleBytes())));
    if (!blocks.halfScales)
      return load(add(from, mul(column, 4)), b.getF32Type());
    return b.create<arith::ExtFOp>(loc, b.getF32Type(), load(add(from, mul(column, 2)), b.getF16Type()));
  };
  Scalar s(b, loc, b.getF32Type());
  Value integers = add(group, index(blocks.integersAt())), integer;
  auto place = [&](int64_t together) {
    return add(integers,
               mul(add(mul(div(inGroup, together), WeightBlocks::columns), column), together * blocks.bits / 8));
  };
  if (blocks.bits == 8) {
    Value byte = b.create<memref::LoadOp>(loc, buffer, add(place(2), rem(step, 2)));
    integer = b.create<arith::ExtSIOp>(loc, b.getI32Type(), byte);
  } else {
    Value shift = add(mul(div(rem(step, 8), 2), 4), mul(rem(step, 2), 16));
    Value word = load(place(8), b.getI32Type());
    word = b.create<arith::ShRUIOp>(loc, word, b.create<arith::IndexCastOp>(loc, b.getI32Type(), shift));
    integer = b.create<arith::AndIOp>(loc, word, s.constantInt(b.getI32Type(), 15));
  }
  if (blocks.bias)
    integer = b.create<arith::SubIOp>(loc, integer, s.constantInt(b.getI32Type(), blocks.bias));
  Value element = s.mul(b.create<arith::SIToFPOp>(loc, b.getF32Type(), integer), scaleAt(0));
  return blocks.hasOffset ? s.add(element, scaleAt(blocks.offsetsAt())) : element;
}
