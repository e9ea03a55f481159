//===- ScoreMask.cpp - which scores of attention are hidden ---------------===//

#include "ScoreMask.h"
#include "ane/IR/DialectAttrs.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

std::optional<ScoreMask> ScoreMask::find(const Product &product, const RowProgram &program, int64_t columns) {
  if (product.masked != Product::Scores || product.n % columns != 0)
    return std::nullopt;
  const RowValue *mask = nullptr;
  for (const RowValue &value : program.values)
    if (value.kind == RowValue::Load) {
      if (mask)
        return std::nullopt; // which of them is it?
      mask = &value;
    }
  if (!mask || !isa<FloatType>(mask->element) || mask->access.strides.back() != 1)
    return std::nullopt;
  // Rows that don't move in it, innermost dimensions first.
  int64_t same = 1;
  for (size_t d = program.shape.size() - 1; d-- > 0 && mask->access.strides[d] == 0;)
    same *= program.shape[d];
  return ScoreMask(program, *mask, same % product.m == 0, columns);
}

Value ScoreMask::isSeen(OpBuilder &b, Location loc, const KernelBuilder &kernel, Value firstRow, int64_t rows,
                        Value firstColumn) const {
  auto index = [&](int64_t v) { return b.create<arith::ConstantIndexOp>(loc, v); };
  auto add = [&](Value x, Value y) { return b.create<arith::AddIOp>(loc, x, y); };
  Value buffer = kernel.inputs.lookup(load->access.root);
  Type stored = cast<MemRefType>(buffer.getType()).getElementType();
  Scalar s(b, loc, kernel.context.compute);
  // Vectors of a power of two.
  int64_t width = std::min<int64_t>(16, columns & -columns);
  auto type = VectorType::get(width, stored);
  Value most;
  for (int64_t r = 0; r < (sameForRows ? 1 : rows); ++r) {
    Value at = add(index(load->access.base), firstColumn);
    SmallVector<Value> indices = delinearize(b, loc, add(firstRow, index(r)), ArrayRef(program->shape).drop_back());
    for (auto [i, stride] : llvm::zip(indices, load->access.strides))
      if (stride)
        at = add(at, b.create<arith::MulIOp>(loc, i, index(stride)));
    for (int64_t first = 0; first < columns; first += width) {
      Value part = b.create<vector::LoadOp>(loc, type, buffer, add(at, index(first)).getResult());
      part = s.fromMemory(part, load->element);
      most = most ? b.create<arith::MaximumFOp>(loc, most, part).getResult() : part;
    }
  }
  Value highest = b.create<vector::ReductionOp>(loc, vector::CombiningKind::MAXIMUMF, most);
  // A NaN is seen.
  return b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UGT, highest,
                                 s.constantOf(kernel.context.compute, attrs::hiddenScore));
}
