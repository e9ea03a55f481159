//===- ScatterKernels.cpp - ops that change elements at indices -----------===//

#include "LoopKernel.h"
#include "ane/Host/HostDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// Updates may meet the same element: they are applied one after the other.
static LogicalResult apply(LoopKernel &k, StringRef mode, OpBuilder &b, Value update, ValueRange at) {
  Value old = k.loadResult(b, at), result;
  Type element = k.resultElement();
  bool isFloat = isa<FloatType>(element), isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  Scalar s = k.scalar(b);
  if (mode == "update")
    result = update;
  else if (mode == "add")
    result = isFloat ? s.add(old, update) : k.add(b, old, update);
  else if (mode == "sub")
    result = isFloat ? s.sub(old, update) : k.sub(b, old, update);
  else if (mode == "mul")
    result = isFloat ? s.mul(old, update) : b.create<arith::MulIOp>(k.loc, old, update).getResult();
  else if (mode == "max")
    result = isFloat      ? s.maximum(update, old)
             : isUnsigned ? b.create<arith::MaxUIOp>(k.loc, update, old).getResult()
                          : b.create<arith::MaxSIOp>(k.loc, update, old).getResult();
  else if (mode == "min")
    result = isFloat      ? s.minimum(update, old)
             : isUnsigned ? b.create<arith::MinUIOp>(k.loc, update, old).getResult()
                          : b.create<arith::MinSIOp>(k.loc, update, old).getResult();
  else if (mode == "div" && isFloat)
    result = s.div(old, update);
  else
    return k.op->emitOpError() << "has no CPU lowering with mode '" << mode << "' for " << k.resultElement();
  k.store(b, result, at);
  return success();
}

static void copyData(LoopKernel &k) {
  if (k.op->getParentOfType<KernelOp>().getInPlace())
    return;
  k.forAll(k.context.builder, k.resultShape(), [&](OpBuilder &b, ValueRange at) { k.store(b, k.load(b, 0, at), at); });
}

static LogicalResult scatter(LoopKernel &k, ScatterOp op) {
  copyData(k);
  int64_t axis = op.getAxisFromFront(), count = k.shape(1).size();
  LogicalResult status = success();
  k.forEach(k.context.builder, k.shape(2), [&](OpBuilder &b, ValueRange at) {
    Value target = k.toIndex(b, k.load(b, 1, at.slice(axis, count)), 1, k.shape(0)[axis]);
    SmallVector<Value> to(at.take_front(axis));
    to.push_back(target);
    llvm::append_range(to, at.drop_front(axis + count));
    status = apply(k, op.getMode(), b, k.load(b, 2, at), to);
  });
  return status;
}

static LogicalResult scatterAlongAxis(LoopKernel &k, ScatterAlongAxisOp op) {
  copyData(k);
  int64_t axis = op.getAxisFromFront();
  LogicalResult status = success();
  k.forEach(k.context.builder, k.shape(2), [&](OpBuilder &b, ValueRange at) {
    SmallVector<Value> to(at);
    to[axis] = k.toIndex(b, k.load(b, 1, at), 1, k.shape(0)[axis]);
    status = apply(k, op.getMode(), b, k.load(b, 2, at), to);
  });
  return status;
}

static LogicalResult scatterNd(LoopKernel &k, ScatterNdOp op) {
  copyData(k);
  int64_t lead = k.shape(1).size() - 1, tuple = k.shape(1).back();
  LogicalResult status = success();
  k.forEach(k.context.builder, k.shape(2), [&](OpBuilder &b, ValueRange at) {
    SmallVector<Value> to;
    for (int64_t i = 0; i < tuple; ++i) {
      SmallVector<Value> from(at.take_front(lead));
      from.push_back(k.index(b, i));
      to.push_back(k.toIndex(b, k.load(b, 1, from), 1, k.shape(0)[i]));
    }
    llvm::append_range(to, at.drop_front(lead));
    status = apply(k, op.getMode(), b, k.load(b, 2, at), to);
  });
  return status;
}

LogicalResult host::emitScatter(LoopKernel &k) {
  return TypeSwitch<Operation *, LogicalResult>(k.op)
      .Case([&](ScatterOp op) { return scatter(k, op); })
      .Case([&](ScatterAlongAxisOp op) { return scatterAlongAxis(k, op); })
      .Case([&](ScatterNdOp op) { return scatterNd(k, op); });
}
