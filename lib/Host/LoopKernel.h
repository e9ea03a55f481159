//===- LoopKernel.h - ops with a kernel of their own loops -----*- C++ -*-===//
//
// Ops that are neither matrix products nor row programs become one kernel each: plain loops over scalars, the outer
// ones on all threads, the inner ones left to LLVM's vectoriser. Operands are read through their views.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_LIB_HOST_LOOPKERNEL_H
#define ANE_LIB_HOST_LOOPKERNEL_H

#include "Kernel.h"
#include "Scalar.h"

namespace mlir::ane::host {

/// The kernel of one op under construction.
class LoopKernel {
public:
  LoopKernel(KernelContext &context, Operation *op);

  using Body = function_ref<void(OpBuilder &, ValueRange)>;
  using Combine = function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)>;

  Operation *op;
  KernelContext &context;
  Location loc;

  ArrayRef<int64_t> shape(unsigned operand) { return accesses[operand].shape; }
  ArrayRef<int64_t> resultShape(unsigned result = 0) { return shapeOf(op->getResult(result)); }
  Type element(unsigned operand) { return elementOf(op->getOperand(operand)); }
  Type resultElement(unsigned result = 0) { return elementOf(op->getResult(result)); }
  Scalar scalar(OpBuilder &b) { return Scalar(b, loc, context.compute); }

  /// Element of an operand or result, of the compute type.
  Value load(OpBuilder &b, unsigned operand, ValueRange indices);
  Value loadResult(OpBuilder &b, ValueRange indices, unsigned result = 0);
  void store(OpBuilder &b, Value value, ValueRange indices, unsigned result = 0);

  /// All indices of `space`, in parallel: iterations must not depend on each other. `cost`: cycles of one.
  void forAll(OpBuilder &b, ArrayRef<int64_t> space, Body body, int64_t cost = 1);
  /// One after the other, in row-major order.
  void forEach(OpBuilder &b, ArrayRef<int64_t> space, Body body);
  /// One loop with carried values; returns their last values.
  SmallVector<Value> fold(OpBuilder &b, int64_t count, ValueRange initial, Combine body);
  void when(OpBuilder &b, Value condition, function_ref<void(OpBuilder &)> body);

  Value index(OpBuilder &b, int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); }
  Value add(OpBuilder &b, Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); }
  Value sub(OpBuilder &b, Value x, Value y) { return b.create<arith::SubIOp>(loc, x, y); }
  Value mul(OpBuilder &b, Value x, int64_t y) { return b.create<arith::MulIOp>(loc, x, index(b, y)); }
  Value compare(OpBuilder &b, arith::CmpIPredicate p, Value x, Value y) {
    return b.create<arith::CmpIOp>(loc, p, x, y);
  }
  Value select(OpBuilder &b, Value c, Value x, Value y) { return b.create<arith::SelectOp>(loc, c, x, y); }
  Value both(OpBuilder &b, Value x, Value y) { return b.create<arith::AndIOp>(loc, x, y); }
  /// A loaded integer of operand `operand` as an index; negative ones count from `size`, the rest is clamped.
  Value toIndex(OpBuilder &b, Value integer, unsigned operand, int64_t size);
  /// An index as an integer element of a result.
  Value fromIndex(OpBuilder &b, Value index, Type element);

  Kernel finish() { return kernel.finish(); }

private:
  KernelBuilder kernel;
  SmallVector<Access> accesses;
};

/// Emit the loops of one op of that kind into `k`; fail after an error that names what is missing.
LogicalResult emitBoxes(LoopKernel &k);
LogicalResult emitMove(LoopKernel &k);
LogicalResult emitRecurrence(LoopKernel &k);
LogicalResult emitScatter(LoopKernel &k);
LogicalResult emitSearch(LoopKernel &k);
LogicalResult emitSum(LoopKernel &k);
LogicalResult emitWindow(LoopKernel &k);

} // namespace mlir::ane::host

#endif // ANE_LIB_HOST_LOOPKERNEL_H
