//===- SearchKernels.cpp - ops that look along an axis --------------------===//

#include "LoopKernel.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

using IPred = arith::CmpIPredicate;
using FPred = arith::CmpFPredicate;

/// NaN is larger than every number, where values are put in order.
static Value isLess(LoopKernel &k, OpBuilder &b, Value x, Value y, Type element) {
  if (isa<FloatType>(element))
    return k.both(b, b.create<arith::CmpFOp>(k.loc, FPred::ULT, x, y),
                  b.create<arith::CmpFOp>(k.loc, FPred::ORD, x, x));
  return k.compare(b, element.isUnsignedInteger() || element.isInteger(1) ? IPred::ult : IPred::slt, x, y);
}

/// The index space of operand 0 without `axis`, and full indices from one of it.
static SmallVector<int64_t> without(ArrayRef<int64_t> shape, int64_t axis) {
  SmallVector<int64_t> rest(shape);
  rest.erase(rest.begin() + axis);
  return rest;
}
static SmallVector<Value> with(ValueRange rest, int64_t axis, Value index) {
  SmallVector<Value> full(rest);
  full.insert(full.begin() + axis, index);
  return full;
}

template <typename OpTy>
static LogicalResult arg(LoopKernel &k, OpTy op) {
  OpBuilder &b = k.context.builder;
  ArrayRef<int64_t> shape = k.shape(0);
  int64_t axis = op.getAxisFromFront();
  bool keep = op.getKeepDims();
  // The first NaN is the extreme of both kinds.
  auto isMoreExtreme = [&](OpBuilder &b, Value x, Value best) {
    if (std::is_same_v<OpTy, ReduceArgmaxOp>)
      return isLess(k, b, best, x, k.element(0));
    if (!isa<FloatType>(k.element(0)))
      return isLess(k, b, x, best, k.element(0));
    return k.both(b, b.create<arith::CmpFOp>(k.loc, FPred::ULT, x, best),
                  b.create<arith::CmpFOp>(k.loc, FPred::ORD, best, best));
  };
  k.forAll(
      b, without(shape, axis),
      [&](OpBuilder &b, ValueRange at) {
        Value zero = k.index(b, 0);
        SmallVector<Value> best = k.fold(
            b, shape[axis], {k.load(b, 0, with(at, axis, zero)), zero}, [&](OpBuilder &b, Value i, ValueRange carried) {
              Value x = k.load(b, 0, with(at, axis, i));
              Value better = isMoreExtreme(b, x, carried[0]);
              return SmallVector<Value>{k.select(b, better, x, carried[0]), k.select(b, better, i, carried[1])};
            });
        k.store(b, k.fromIndex(b, best[1], k.resultElement()), keep ? with(at, axis, zero) : SmallVector<Value>(at));
      },
      shape[axis]);
  return success();
}

static LogicalResult cumsum(LoopKernel &k, CumsumOp op) {
  OpBuilder &b = k.context.builder;
  ArrayRef<int64_t> shape = k.shape(0);
  int64_t axis = op.getAxisFromFront(), size = shape[axis];
  bool exclusive = op.getExclusive(), reverse = op.getReverse();
  k.forAll(
      b, without(shape, axis),
      [&](OpBuilder &b, ValueRange at) {
        Scalar s = k.scalar(b);
        k.fold(b, size, s.constantOf(s.computeType(k.element(0)), 0), [&](OpBuilder &b, Value i, ValueRange carried) {
          Value at1 = reverse ? k.sub(b, k.index(b, size - 1), i) : i;
          Value x = k.load(b, 0, with(at, axis, at1)), sum;
          if (isa<FloatType>(k.element(0)))
            sum = b.create<arith::AddFOp>(k.loc, carried[0], x);
          else
            sum = k.add(b, carried[0], x);
          k.store(b, exclusive ? carried[0] : sum, with(at, axis, at1));
          return SmallVector<Value>{sum};
        });
      },
      size);
  return success();
}

/// The `count` first elements in the order (value, then index), each found by a scan for what follows its predecessor:
/// no buffer, and exact for equal values. Good for a small count; sorting long axes is quadratic.
static void selectInOrder(LoopKernel &k, int64_t axis, int64_t count, bool ascending, bool stored, int indexResult) {
  OpBuilder &b = k.context.builder;
  ArrayRef<int64_t> shape = k.shape(0);
  Type element = k.element(0);
  k.forAll(
      b, without(shape, axis),
      [&](OpBuilder &b, ValueRange at) {
        Value zero = k.index(b, 0), none = k.index(b, -1);
        Value start = k.load(b, 0, with(at, axis, zero));
        k.fold(b, count, {start, none}, [&](OpBuilder &b, Value rank, ValueRange previous) {
          SmallVector<Value> best = k.fold(b, shape[axis], {start, none}, [&](OpBuilder &b, Value i, ValueRange found) {
            Value x = k.load(b, 0, with(at, axis, i));
            auto before = [&](Value p, Value q) {
              return ascending ? isLess(k, b, p, q, element) : isLess(k, b, q, p, element);
            };
            // Behind the predecessor: later in order, or equal with a greater index. All are behind none.
            Value first = k.compare(b, IPred::slt, previous[1], zero);
            Value equal = k.scalar(b).b.create<arith::XOrIOp>(
                k.loc, b.create<arith::OrIOp>(k.loc, before(x, previous[0]), before(previous[0], x)),
                b.create<arith::ConstantIntOp>(k.loc, 1, 1));
            Value behind = b.create<arith::OrIOp>(
                k.loc, first,
                b.create<arith::OrIOp>(k.loc, before(previous[0], x),
                                       k.both(b, equal, k.compare(b, IPred::sgt, i, previous[1]))));
            Value better = b.create<arith::OrIOp>(k.loc, k.compare(b, IPred::slt, found[1], zero), before(x, found[0]));
            Value take = k.both(b, behind, better);
            return SmallVector<Value>{k.select(b, take, x, found[0]), k.select(b, take, i, found[1])};
          });
          if (stored)
            k.store(b, best[0], with(at, axis, rank), 0);
          if (indexResult >= 0)
            k.store(b, k.fromIndex(b, best[1], k.resultElement(indexResult)), with(at, axis, rank), indexResult);
          return best;
        });
      },
      shape[axis] * count);
}

static LogicalResult topk(LoopKernel &k, TopkOp op) {
  selectInOrder(k, op.getAxisFromFront(), op.getK(), op.getAscending(), true, op.getIndices() ? 1 : -1);
  return success();
}

static LogicalResult argsort(LoopKernel &k, ArgsortOp op) {
  int64_t axis = op.getAxisFromFront();
  selectInOrder(k, axis, k.shape(0)[axis], op.getAscending(), false, 0);
  return success();
}

LogicalResult host::emitSearch(LoopKernel &k) {
  return TypeSwitch<Operation *, LogicalResult>(k.op)
      .Case<ReduceArgmaxOp, ReduceArgminOp>([&](auto op) { return arg(k, op); })
      .Case([&](CumsumOp op) { return cumsum(k, op); })
      .Case([&](TopkOp op) { return topk(k, op); })
      .Case([&](ArgsortOp op) { return argsort(k, op); });
}
