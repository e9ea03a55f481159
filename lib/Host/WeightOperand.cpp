//===- WeightOperand.cpp - what a product multiplies with -----------------===//

#include "WeightOperand.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

void WeightOperand::addInput(KernelBuilder &builder, const std::optional<Access> &panels, int64_t columns) const {
  std::optional<WeightLayout> layout;
  if (blocks)
    layout = WeightLayout{WeightLayout::Blocks, *panels, columns, context.builder.getI8Type(), blocks};
  else if (panels)
    layout = WeightLayout{WeightLayout::Panels, *panels, columns, context.storageType(root)};
  builder.addInput(root, layout);
}

Value WeightOperand::load(OpBuilder &b, Value buffer, Value at, int64_t width) const {
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  Value stored = width == 1 ? b.create<memref::LoadOp>(loc, buffer, at).getResult()
                            : b.create<vector::LoadOp>(loc, VectorType::get(width, element), buffer, at).getResult();
  Scalar s(b, loc, context.compute);
  if (isa<FloatType>(element))
    return s.fromMemory(stored, context.compute);
  return s.convert(stored, elementOf(root), context.compute);
}

void WeightOperand::prefetch(OpBuilder &b, Value buffer, Value at, int64_t count) const {
  constexpr int64_t page = 4096;
  int64_t bytes = cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() / 8;
  for (int64_t line = 0; line < count * bytes; line += cacheLine) {
    Value further = b.create<arith::ConstantIndexOp>(loc, (page + line) / bytes);
    b.create<memref::PrefetchOp>(loc, buffer, ValueRange{b.create<arith::AddIOp>(loc, at, further)},
                                 /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
  }
}
