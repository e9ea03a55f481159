//===- ConstantProduct.cpp - matrix products of constants -----------------===//

#include "ConstantProduct.h"
#include "ConstantRows.h"
#include "ane/IR/ANE.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::ane;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static bool transposesX(Operation *op) { return isa<MatmulOp>(op) && cast<MatmulOp>(op).getTransposeX(); }
static bool transposesY(Operation *op) { return isa<LinearOp>(op) || cast<MatmulOp>(op).getTransposeY(); }

static int64_t depthOf(Operation *op) {
  ArrayRef<int64_t> x = typeOf(op->getOperand(0)).getShape();
  return x[x.size() - (transposesX(op) ? 2 : 1)];
}

bool mlir::ane::canMultiply(Operation *op) {
  if (!isa<MatmulOp, LinearOp>(op))
    return false;
  RankedTensorType result = typeOf(op->getResult(0));
  auto isLarge = [](Value value) { return typeOf(value).getNumElements() > maxElements; };
  return isa<FloatType>(result.getElementType()) && !isLarge(op->getResult(0)) &&
         llvm::none_of(op->getOperands(), isLarge) &&
         double(result.getNumElements()) * double(depthOf(op)) <= maxProducts;
}

/// All elements; those of the last two axes transposed.
static std::vector<double> load(const ConstantBuffer &buffer, bool transposed) {
  RankedTensorType type = buffer.getType();
  std::vector<double> values(type.getNumElements());
  if (!transposed) {
    loadRow(buffer.bytes().data(), type.getElementType(), 0, 1, values);
    return values;
  }
  int64_t rows = type.getShape().end()[-2], columns = type.getShape().back();
  for (int64_t matrix = 0, size = rows * columns; size && matrix < int64_t(values.size()); matrix += size)
    for (int64_t column = 0; column < columns; ++column)
      loadRow(buffer.bytes().data(), type.getElementType(), matrix + column, columns,
              MutableArrayRef<double>(values).slice(matrix + column * rows, rows));
  return values;
}

ConstantBuffer mlir::ane::multiply(Operation *op, ArrayRef<ConstantBuffer> in) {
  RankedTensorType type = unrounded(typeOf(op->getResult(0)));
  ConstantBuffer out = ConstantBuffer::allocate(type);
  std::vector<double> x = load(in[0], transposesX(op)), y = load(in[1], transposesY(op)), bias;
  if (in.size() == 3)
    bias = load(in[2], false);
  bool linear = isa<LinearOp>(op);
  // Which matrix of an operand a matrix of the result is made of.
  auto matrixOf = [&](const ConstantBuffer &operand, int64_t matrix) {
    StridedView matrices = StridedView::dense(operand.getType().getShape().drop_back(2));
    return matrices.broadcast(type.getShape().drop_back(2))->at(matrix);
  };
  int64_t depth = depthOf(op), columns = type.getShape().back();
  int64_t rows = linear ? type.getNumElements() / std::max<int64_t>(columns, 1) : type.getShape().end()[-2];
  std::vector<double> sums(columns);
  for (int64_t first = 0; first < type.getNumElements(); first += rows * columns) {
    int64_t matrix = first / (rows * columns);
    const double *a = x.data(), *b = y.data();
    if (!linear) {
      a += matrixOf(in[0], matrix) * rows * depth;
      b += matrixOf(in[1], matrix) * depth * columns;
    }
    for (int64_t row = 0; row < rows; ++row) {
      if (bias.empty())
        std::fill(sums.begin(), sums.end(), 0.0);
      else
        sums = bias;
      for (int64_t k = 0; k < depth; ++k)
        for (int64_t column = 0; column < columns; ++column)
          sums[column] += a[row * depth + k] * b[k * columns + column];
      storeRow(out.mutableBytes().data(), type.getElementType(), first + row * columns, sums);
    }
  }
  return out;
}
