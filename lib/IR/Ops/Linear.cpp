//===- Linear.cpp - matrix products ---------------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Builders.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;

//===-- matmul ------------------------------------------------------------===//

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  Value x = adaptor.getX(), y = adaptor.getY();
  if (failed(checkSameElementType(loc, "x", x, "y", y)))
    return failure();
  auto xShape = tensorOf(x).getShape(), yShape = tensorOf(y).getShape();
  if (xShape.size() < 2 || yShape.size() < 2)
    return emitOptionalError(loc, "x has rank ", xShape.size(), " and y rank ", yShape.size(),
                             ", both need 2 or more: expand_dims a vector first");
  auto xMatrix = xShape.take_back(2), yMatrix = yShape.take_back(2);
  int64_t m = xMatrix[adaptor.getTransposeX()], k = xMatrix[!adaptor.getTransposeX()];
  int64_t yK = yMatrix[adaptor.getTransposeY()], n = yMatrix[!adaptor.getTransposeY()];
  if (k != yK)
    return emitOptionalError(loc, "inner sizes differ: ", k, " of x [", xShape, "]",
                             adaptor.getTransposeX() ? " transposed" : "", " and ", yK, " of y [", yShape, "]",
                             adaptor.getTransposeY() ? " transposed" : "");
  auto shape = broadcastShapes(loc, xShape.drop_back(2), yShape.drop_back(2));
  if (failed(shape))
    return failure();
  shape->append({m, n});
  return pushResult(loc, types, *shape, tensorOf(x).getElementType());
}

int64_t MatmulOp::getFlops() { return 2 * getType().getNumElements() * getDepth(); }

int64_t MatmulOp::getDepth() {
  RankedTensorType x = getX().getType();
  return x.getDimSize(x.getRank() - (getTransposeX() ? 2 : 1));
}

//===-- linear ------------------------------------------------------------===//

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX()), weight = tensorOf(adaptor.getWeight());
  if (x.getRank() < 1)
    return emitOptionalError(loc, "x is a scalar, expected [..., Din]");
  if (weight.getRank() != 2)
    return emitOptionalError(loc, "weight has shape [", weight.getShape(), "], expected [Dout, Din]");
  if (x.getShape().back() != weight.getDimSize(1))
    return emitOptionalError(loc, "x has ", x.getShape().back(), " input features, weight [", weight.getShape(),
                             "] takes ", weight.getDimSize(1));
  if (failed(checkChannels(loc, "bias", adaptor.getBias(), weight.getDimSize(0))))
    return failure();
  SmallVector<int64_t> shape(x.getShape());
  shape.back() = weight.getDimSize(0);
  return pushResult(loc, types, shape, x.getElementType());
}

int64_t LinearOp::getFlops() { return 2 * getType().getNumElements() * getDepth(); }

int64_t LinearOp::getDepth() { return getWeight().getType().getDimSize(1); }

FailureOr<SmallVector<Value>> LinearOp::decompose(OpBuilder &builder) {
  Composer c(builder, getLoc());
  Value x = getX();
  // A vector is one row.
  if (tensorOf(x).getRank() == 1)
    x = c.reshape(x, {1, tensorOf(x).getDimSize(0)});
  Value result = c.make<MatmulOp>(x, c.castLike(getWeight(), x), /*transpose_x=*/false, /*transpose_y=*/true);
  if (getBias())
    result = c.add(result, c.castLike(getBias(), x));
  return SmallVector<Value>{c.reshape(result, getType().getShape())};
}
