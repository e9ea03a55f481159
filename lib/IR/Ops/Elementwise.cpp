//===- Elementwise.cpp - element-wise arithmetic --------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/ShapeUtils.h"

using namespace mlir;
using namespace mlir::ane;

static LogicalResult inferBinary(std::optional<Location> loc, Value x, Value y, SmallVectorImpl<Type> &types) {
  auto xType = cast<RankedTensorType>(x.getType()), yType = cast<RankedTensorType>(y.getType());
  if (xType.getElementType() != yType.getElementType())
    return emitOptionalError(loc, "x has elements of type ", xType.getElementType(), ", y of type ",
                             yType.getElementType());
  auto shape = broadcastShapes(loc, xType.getShape(), yType.getShape());
  if (failed(shape))
    return failure();
  types.push_back(RankedTensorType::get(*shape, xType.getElementType()));
  return success();
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  return inferBinary(loc, adaptor.getX(), adaptor.getY(), types);
}
