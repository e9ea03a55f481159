//===- MoveKernels.cpp - ops that copy elements ---------------------------===//

#include "LoopKernel.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

using IPred = arith::CmpIPredicate;

static LogicalResult concat(LoopKernel &k, ConcatOp op) {
  OpBuilder &b = k.context.builder;
  int64_t axis = op.getAxisFromFront(), first = 0, values = op.getValues().size();
  for (int64_t i = 0; i < values; ++i) {
    k.forAll(b, k.shape(i), [&](OpBuilder &b, ValueRange at) {
      SmallVector<Value> to(at);
      to[axis] = op.getInterleave() ? k.add(b, k.mul(b, at[axis], values), k.index(b, i))
                                    : k.add(b, at[axis], k.index(b, first));
      k.store(b, k.load(b, i, at), to);
    });
    first += k.shape(i)[axis];
  }
  return success();
}

static LogicalResult stack(LoopKernel &k, StackOp op) {
  OpBuilder &b = k.context.builder;
  int64_t axis = op.getAxisFromFront();
  for (unsigned i = 0; i < op.getValues().size(); ++i)
    k.forAll(b, k.shape(i), [&](OpBuilder &b, ValueRange at) {
      SmallVector<Value> to(at);
      to.insert(to.begin() + axis, k.index(b, i));
      k.store(b, k.load(b, i, at), to);
    });
  return success();
}

static LogicalResult tile(LoopKernel &k) {
  OpBuilder &b = k.context.builder;
  k.forAll(b, k.resultShape(), [&](OpBuilder &b, ValueRange at) {
    SmallVector<Value> from;
    for (auto [index, size] : llvm::zip_equal(at, k.shape(0)))
      from.push_back(b.create<arith::RemUIOp>(k.loc, index, k.index(b, size)));
    k.store(b, k.load(b, 0, from), at);
  });
  return success();
}

static LogicalResult pad(LoopKernel &k, PadOp op) {
  OpBuilder &b = k.context.builder;
  auto border = op.getBorder();
  if (op.getMode() == "constant") {
    // The border last: only it is not read.
    k.forAll(b, k.resultShape(), [&](OpBuilder &b, ValueRange at) {
      Scalar s = k.scalar(b);
      k.store(b, s.constantOf(s.computeType(k.resultElement()), op.getConstantVal().convertToDouble()), at);
    });
    k.forAll(b, k.shape(0), [&](OpBuilder &b, ValueRange at) {
      SmallVector<Value> to;
      for (auto [index, amount] : llvm::zip_equal(at, border))
        to.push_back(k.add(b, index, k.index(b, amount.first)));
      k.store(b, k.load(b, 0, at), to);
    });
    return success();
  }
  bool reflect = op.getMode() == "reflect";
  k.forAll(b, k.resultShape(), [&](OpBuilder &b, ValueRange at) {
    SmallVector<Value> from;
    for (size_t d = 0; d < border.size(); ++d) {
      Value zero = k.index(b, 0), last = k.index(b, k.shape(0)[d] - 1);
      Value i = k.sub(b, at[d], k.index(b, border[d].first));
      if (reflect) {
        i = k.select(b, k.compare(b, IPred::slt, i, zero), k.sub(b, zero, i), i);
        i = k.select(b, k.compare(b, IPred::sgt, i, last), k.sub(b, k.add(b, last, last), i), i);
      }
      i = b.create<arith::MaxSIOp>(k.loc, zero, b.create<arith::MinSIOp>(k.loc, last, i));
      from.push_back(i);
    }
    k.store(b, k.load(b, 0, from), at);
  });
  return success();
}

static LogicalResult oneHot(LoopKernel &k, OneHotOp op) {
  OpBuilder &b = k.context.builder;
  int64_t axis = op.getAxisFromFront();
  bool hasOn = static_cast<bool>(op.getOnValue()), hasOff = static_cast<bool>(op.getOffValue());
  k.forAll(b, k.resultShape(), [&](OpBuilder &b, ValueRange at) {
    SmallVector<Value> from(at);
    from.erase(from.begin() + axis);
    Scalar s = k.scalar(b);
    Type type = s.computeType(k.resultElement()), i64 = b.getI64Type();
    auto value = [&](bool given, unsigned operand, double fallback) {
      SmallVector<Value> zeros(given ? k.shape(operand).size() : 0, k.index(b, 0));
      return given ? k.load(b, operand, zeros) : s.constantOf(type, fallback);
    };
    Value wide = s.convert(k.load(b, 0, from), k.element(0), i64);
    Value here = b.create<arith::IndexCastOp>(k.loc, i64, at[axis]);
    Value hit = k.compare(b, IPred::eq, wide, here);
    k.store(b, k.select(b, hit, value(hasOn, 1, 1), value(hasOff, hasOn ? 2 : 1, 0)), at);
  });
  return success();
}

static LogicalResult bandPart(LoopKernel &k, BandPartOp op) {
  OpBuilder &b = k.context.builder;
  int64_t lower = op.getLower(), upper = op.getUpper();
  k.forAll(b, k.resultShape(), [&](OpBuilder &b, ValueRange at) {
    Value row = at[at.size() - 2], column = at.back();
    Scalar s = k.scalar(b);
    Value x = k.load(b, 0, at), zero = s.constantOf(x.getType(), 0);
    if (lower >= 0)
      x = k.select(b, k.compare(b, IPred::sle, k.sub(b, row, column), k.index(b, lower)), x, zero);
    if (upper >= 0)
      x = k.select(b, k.compare(b, IPred::sle, k.sub(b, column, row), k.index(b, upper)), x, zero);
    k.store(b, x, at);
  });
  return success();
}

static LogicalResult range(LoopKernel &k) {
  OpBuilder &b = k.context.builder;
  k.forAll(b, k.resultShape(), [&](OpBuilder &b, ValueRange at) {
    auto value = [&](unsigned operand) {
      return k.load(b, operand, SmallVector<Value>(k.shape(operand).size(), k.index(b, 0)));
    };
    Scalar s = k.scalar(b);
    Value start = value(1), step = value(2), i = b.create<arith::IndexCastOp>(k.loc, b.getI64Type(), at[0]);
    i = s.convert(i, b.getI64Type(), k.resultElement());
    if (isa<FloatType>(k.resultElement()))
      k.store(b, s.fma(i, step, start), at);
    else
      k.store(b, k.add(b, start, b.create<arith::MulIOp>(k.loc, i, step)), at);
  });
  return success();
}

static LogicalResult reverseSequence(LoopKernel &k, ReverseSequenceOp op) {
  OpBuilder &b = k.context.builder;
  int64_t sequence = op.getSeqAxisFromFront(), batch = op.getBatchAxisFromFront();
  k.forAll(b, k.resultShape(), [&](OpBuilder &b, ValueRange at) {
    Value length = k.load(b, 1, at[batch]);
    // Lengths reach from 0 to the size itself.
    length = k.scalar(b).convert(length, k.element(1), b.getI64Type());
    length = b.create<arith::IndexCastOp>(k.loc, b.getIndexType(), length);
    length = b.create<arith::MinUIOp>(k.loc, length, k.index(b, k.resultShape()[sequence]));
    SmallVector<Value> from(at);
    Value turned = k.sub(b, k.sub(b, length, k.index(b, 1)), at[sequence]);
    from[sequence] = k.select(b, k.compare(b, IPred::ult, at[sequence], length), turned, at[sequence]);
    k.store(b, k.load(b, 0, from), at);
  });
  return success();
}

static LogicalResult sliceUpdate(LoopKernel &k, SliceUpdateOp op) {
  OpBuilder &b = k.context.builder;
  k.forAll(b, k.resultShape(), [&](OpBuilder &b, ValueRange at) { k.store(b, k.load(b, 0, at), at); });
  SmallVector<SliceRange> ranges = op.getRanges();
  k.forAll(b, k.shape(1), [&](OpBuilder &b, ValueRange at) {
    SmallVector<Value> to;
    unsigned next = 0;
    for (const SliceRange &range : ranges) {
      Value first = k.index(b, range.begin);
      to.push_back(range.drop ? first : k.add(b, first, k.mul(b, at[next++], range.stride)));
    }
    k.store(b, k.load(b, 1, at), to);
  });
  return success();
}

LogicalResult host::emitMove(LoopKernel &k) {
  return TypeSwitch<Operation *, LogicalResult>(k.op)
      .Case([&](ConcatOp op) { return concat(k, op); })
      .Case([&](StackOp op) { return stack(k, op); })
      .Case<TileOp>([&](auto) { return tile(k); })
      .Case([&](PadOp op) { return pad(k, op); })
      .Case([&](OneHotOp op) { return oneHot(k, op); })
      .Case([&](BandPartOp op) { return bandPart(k, op); })
      .Case<Range1dOp>([&](auto) { return range(k); })
      .Case([&](ReverseSequenceOp op) { return reverseSequence(k, op); })
      .Case([&](SliceUpdateOp op) { return sliceUpdate(k, op); });
}
