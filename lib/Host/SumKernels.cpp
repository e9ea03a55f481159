//===- SumKernels.cpp - products without tiles ----------------------------===//

#include "LoopKernel.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// Integer products; floats have their own kernel unless an operand's panel is too large for it.
LogicalResult host::emitSum(LoopKernel &k) {
  OpBuilder &b = k.context.builder;
  auto matmul = dyn_cast<MatmulOp>(k.op); // or linear, whose weight is [out, in]
  bool transposeX = matmul && matmul.getTransposeX(), transposeY = !matmul || matmul.getTransposeY();
  ArrayRef<int64_t> xShape = k.shape(0), yShape = k.shape(1);
  int64_t count = transposeX ? xShape[xShape.size() - 2] : xShape.back();
  Type element = k.resultElement();
  bool isFloat = isa<FloatType>(element);
  k.forAll(
      b, k.resultShape(),
      [&](OpBuilder &b, ValueRange at) {
        // Leading indices of an operand: aligned to the right, 0 where it has one element.
        auto indices = [&](ArrayRef<int64_t> shape, Value first, Value second, bool swap) {
          SmallVector<Value> result;
          size_t lead = at.size() - shape.size();
          for (size_t d = 0; d + 2 < shape.size(); ++d)
            result.push_back(shape[d] == 1 ? k.index(b, 0) : at[lead + d]);
          result.push_back(swap ? second : first);
          result.push_back(swap ? first : second);
          return result;
        };
        Scalar s = k.scalar(b);
        Value sum = k.fold(b, count, s.constantOf(s.computeType(element), 0),
                           [&](OpBuilder &b, Value step, ValueRange carried) {
                             Value row = at.size() < 2 ? k.index(b, 0) : at[at.size() - 2];
                             SmallVector<Value> xAt{step};
                             if (xShape.size() > 1)
                               xAt = indices(xShape, row, step, transposeX);
                             Value x = k.load(b, 0, xAt);
                             Value y = k.load(b, 1, indices(yShape, step, at.back(), transposeY));
                             if (isFloat)
                               return SmallVector<Value>{k.scalar(b).fma(x, y, carried[0])};
                             Value product = b.create<arith::MulIOp>(k.loc, x, y);
                             return SmallVector<Value>{k.add(b, carried[0], product)};
                           })[0];
        k.store(b, sum, at);
      },
      count);
  return success();
}
