//===- LoopKernel.cpp - ops with a kernel of their own loops --------------===//

#include "LoopKernel.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

//===-- builder -----------------------------------------------------------===//

LoopKernel::LoopKernel(KernelContext &context, Operation *op)
    : op(op), context(context), loc(op->getLoc()), kernel(context, op->getLoc()) {
  for (Value operand : op->getOperands()) {
    accesses.push_back(trace(operand));
    kernel.addInput(accesses.back().root);
  }
  for (Value result : op->getResults())
    kernel.addOutput(result);
  kernel.begin();
}

static Value linearIndex(LoopKernel &k, OpBuilder &b, ValueRange indices, ArrayRef<int64_t> strides, int64_t offset) {
  Value sum = k.index(b, offset);
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    if (stride)
      sum = k.add(b, sum, k.mul(b, index, stride));
  return sum;
}

Value LoopKernel::load(OpBuilder &b, unsigned operand, ValueRange indices) {
  const Access &access = accesses[operand];
  Value at = linearIndex(*this, b, indices, access.strides, access.base);
  return scalar(b).fromMemory(b.create<memref::LoadOp>(loc, kernel.inputs[access.root], at), element(operand));
}

Value LoopKernel::loadResult(OpBuilder &b, ValueRange indices, unsigned result) {
  Value at = linearIndex(*this, b, indices, memoryStrides(op->getResult(result)), 0);
  return scalar(b).fromMemory(b.create<memref::LoadOp>(loc, kernel.outputs[result], at), resultElement(result));
}

void LoopKernel::store(OpBuilder &b, Value value, ValueRange indices, unsigned result) {
  Value at = linearIndex(*this, b, indices, memoryStrides(op->getResult(result)), 0);
  Type memory = cast<MemRefType>(kernel.outputs[result].getType()).getElementType();
  value = scalar(b).toMemory(value, isa<FloatType>(memory) ? memory : resultElement(result));
  b.create<memref::StoreOp>(loc, value, kernel.outputs[result], at);
}

static void nest(LoopKernel &k, OpBuilder &b, ArrayRef<int64_t> space, SmallVectorImpl<Value> &indices,
                 LoopKernel::Body body) {
  if (space.empty()) {
    body(b, indices);
    return;
  }
  b.create<scf::ForOp>(k.loc, k.index(b, 0), k.index(b, space[0]), k.index(b, 1), ValueRange(),
                       [&](OpBuilder &inner, Location, Value i, ValueRange) {
                         indices.push_back(i);
                         nest(k, inner, space.drop_front(), indices, body);
                         indices.pop_back();
                         inner.create<scf::YieldOp>(k.loc);
                       });
}

void LoopKernel::forEach(OpBuilder &b, ArrayRef<int64_t> space, Body body) {
  SmallVector<Value> indices;
  nest(*this, b, space, indices, body);
}

void LoopKernel::forAll(OpBuilder &b, ArrayRef<int64_t> space, Body body, int64_t cost) {
  // Loops in the order of the result's memory, where they run over it.
  SmallVector<int64_t> order = memoryOrder(op->getResult(0)), sizes;
  if (order.size() != space.size())
    order = llvm::to_vector(llvm::seq<int64_t>(0, space.size()));
  for (int64_t d : order)
    sizes.push_back(space[d]);
  // The leading dimensions that make enough pieces for the threads; the last stays a loop of its own.
  size_t outer = 0;
  int64_t pieces = 1;
  while (outer + 1 < sizes.size() && pieces < 64)
    pieces *= sizes[outer++];
  parallelFor(b, loc, pieces, numElements(space) * cost, [&](OpBuilder &inner, Value piece) {
    SmallVector<Value> indices;
    if (outer)
      indices = delinearize(inner, loc, piece, ArrayRef(sizes).take_front(outer));
    nest(*this, inner, ArrayRef(sizes).drop_front(outer), indices, [&](OpBuilder &b, ValueRange at) {
      SmallVector<Value> logical(at.size());
      for (auto [d, index] : llvm::zip_equal(order, at))
        logical[d] = index;
      body(b, logical);
    });
  });
}

SmallVector<Value> LoopKernel::fold(OpBuilder &b, int64_t count, ValueRange initial, Combine body) {
  auto loop = b.create<scf::ForOp>(loc, index(b, 0), index(b, count), index(b, 1), initial,
                                   [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
                                     inner.create<scf::YieldOp>(loc, body(inner, i, carried));
                                   });
  return SmallVector<Value>(loop.getResults());
}

void LoopKernel::when(OpBuilder &b, Value condition, function_ref<void(OpBuilder &)> body) {
  b.create<scf::IfOp>(loc, condition, [&](OpBuilder &inner, Location) {
    body(inner);
    inner.create<scf::YieldOp>(loc);
  });
}

Value LoopKernel::toIndex(OpBuilder &b, Value integer, unsigned operand, int64_t size) {
  Scalar s = scalar(b);
  Value wide = s.convert(integer, element(operand), b.getI64Type());
  Value zero = s.constantInt(b.getI64Type(), 0);
  Value negative = compare(b, arith::CmpIPredicate::slt, wide, zero);
  wide = select(b, negative, add(b, wide, s.constantInt(b.getI64Type(), size)), wide);
  wide = b.create<arith::MaxSIOp>(loc, wide, zero);
  wide = b.create<arith::MinSIOp>(loc, wide, s.constantInt(b.getI64Type(), size - 1));
  return b.create<arith::IndexCastOp>(loc, b.getIndexType(), wide);
}

Value LoopKernel::fromIndex(OpBuilder &b, Value index, Type element) {
  Value wide = b.create<arith::IndexCastOp>(loc, b.getI64Type(), index);
  return scalar(b).convert(wide, b.getI64Type(), element);
}

//===-- kinds -------------------------------------------------------------===//

std::optional<KernelKind> host::loopKind(Operation *op) {
  if (isa<ConcatOp, StackOp, TileOp, PadOp, OneHotOp, BandPartOp, Range1dOp, ReverseSequenceOp, SliceUpdateOp>(op))
    return KernelKind::Move;
  if (isa<MaxPoolOp, AvgPoolOp, L2PoolOp, ConvTransposeOp, LocalResponseNormOp>(op))
    return KernelKind::Window;
  if (isa<ReduceArgmaxOp, ReduceArgminOp, CumsumOp, TopkOp, ArgsortOp>(op))
    return KernelKind::Search;
  if (isa<ScatterOp, ScatterAlongAxisOp, ScatterNdOp>(op))
    return KernelKind::Scatter;
  if (isa<MatmulOp, LinearOp>(op))
    return KernelKind::Sum;
  if (isa<NonMaximumSuppressionOp>(op))
    return KernelKind::Boxes;
  if (isa<RecurrenceOp>(op))
    return KernelKind::Recurrence;
  return std::nullopt;
}

static LogicalResult emitLoops(LoopKernel &k) {
  switch (*loopKind(k.op)) {
  case KernelKind::Move:
    return emitMove(k);
  case KernelKind::Window:
    return emitWindow(k);
  case KernelKind::Search:
    return emitSearch(k);
  case KernelKind::Scatter:
    return emitScatter(k);
  case KernelKind::Sum:
    return emitSum(k);
  case KernelKind::Boxes:
    return emitBoxes(k);
  case KernelKind::Recurrence:
    return emitRecurrence(k);
  default:
    llvm_unreachable("not a kind of loops");
  }
}

FailureOr<Kernel> host::emitLoopKernel(KernelContext &context, Operation *op) {
  LoopKernel k(context, op);
  if (failed(emitLoops(k)))
    return failure();
  return k.finish();
}
