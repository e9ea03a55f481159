//===- Pool.cpp - pooling -------------------------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;

template <typename OpOrAdaptor>
static WindowSpec specOf(OpOrAdaptor op) {
  return {op.getStrides(), std::nullopt, op.getPad(), op.getPadType(), op.getCeilMode()};
}

template <typename AdaptorTy>
static LogicalResult inferPool(OptionalLoc loc, AdaptorTy adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  if (x.getRank() < 3 || x.getRank() > 5)
    return emitOptionalError(loc, "x has rank ", x.getRank(), ", expected 3 to 5: [N, C, D...]");
  auto window = resolveWindow(loc, x.getShape().drop_front(2), adaptor.getKernelSizes(), specOf(adaptor));
  if (failed(window))
    return failure();
  if (adaptor.getCeilMode()) {
    if (x.getRank() == 5 || adaptor.getPadType().starts_with("same"))
      return emitOptionalError(loc, "ceil_mode needs one or two spatial axes and pad_type valid or custom, got ",
                               x.getRank() - 2, " and ", adaptor.getPadType());
    if (window->padBegin != window->padEnd)
      return emitOptionalError(loc, "ceil_mode needs symmetric padding, got pad [", *adaptor.getPad(), "]");
  }
  SmallVector<int64_t> shape(x.getShape().take_front(2));
  llvm::append_range(shape, window->output);
  return pushResult(loc, types, shape, x.getElementType());
}

template <typename OpTy>
static Window windowOf(OpTy op) {
  return *resolveWindow(std::nullopt, op.getX().getType().getShape().drop_front(2), op.getKernelSizes(), specOf(op));
}

template <typename OpTy>
static int64_t flopsOf(OpTy op) {
  return op.getType().getNumElements() * numElements(op.getKernelSizes());
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferPool(loc, adaptor, types);
}
LogicalResult AvgPoolOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferPool(loc, adaptor, types);
}
LogicalResult L2PoolOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferPool(loc, adaptor, types);
}

Window MaxPoolOp::getWindow() { return windowOf(*this); }
Window AvgPoolOp::getWindow() { return windowOf(*this); }
Window L2PoolOp::getWindow() { return windowOf(*this); }

int64_t MaxPoolOp::getFlops() { return flopsOf(*this); }
int64_t AvgPoolOp::getFlops() { return flopsOf(*this); }
int64_t L2PoolOp::getFlops() { return 2 * flopsOf(*this); }
