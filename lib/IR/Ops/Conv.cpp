//===- Conv.cpp - convolutions --------------------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;

template <typename OpOrAdaptor>
static WindowSpec specOf(OpOrAdaptor op) {
  return {op.getStrides(), op.getDilations(), op.getPad(), op.getPadType(), false};
}

/// Ranks and groups.
static LogicalResult checkWeight(OptionalLoc loc, RankedTensorType x, RankedTensorType weight, int64_t groups) {
  if (x.getRank() < 3 || x.getRank() > 5)
    return emitOptionalError(loc, "x has rank ", x.getRank(), ", expected 3 to 5: [N, C, D...]");
  if (weight.getRank() != x.getRank())
    return emitOptionalError(loc, "weight has rank ", weight.getRank(), ", x rank ", x.getRank());
  if (groups < 1 || weight.getDimSize(0) % groups != 0)
    return emitOptionalError(loc, "groups ", groups, " does not divide axis 0 of weight [", weight.getShape(), "]");
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX()), weight = tensorOf(adaptor.getWeight());
  int64_t groups = adaptor.getGroups();
  if (failed(checkWeight(loc, x, weight, groups)))
    return failure();
  if (x.getDimSize(1) != weight.getDimSize(1) * groups)
    return emitOptionalError(loc, "x has ", x.getDimSize(1), " channels, weight [", weight.getShape(), "] with groups ",
                             groups, " takes ", weight.getDimSize(1) * groups);
  if (failed(checkChannels(loc, "bias", adaptor.getBias(), weight.getDimSize(0))))
    return failure();
  auto window = resolveWindow(loc, x.getShape().drop_front(2), weight.getShape().drop_front(2), specOf(adaptor));
  if (failed(window))
    return failure();
  SmallVector<int64_t> shape{x.getDimSize(0), weight.getDimSize(0)};
  llvm::append_range(shape, window->output);
  return pushResult(loc, types, shape, x.getElementType());
}

Window ConvOp::getWindow() {
  return *resolveWindow(std::nullopt, getX().getType().getShape().drop_front(2),
                        getWeight().getType().getShape().drop_front(2), specOf(*this));
}

int64_t ConvOp::getFlops() {
  RankedTensorType weight = getWeight().getType();
  return 2 * getType().getNumElements() * (weight.getNumElements() / std::max<int64_t>(1, weight.getDimSize(0)));
}

static std::optional<ArrayRef<int64_t>> spatial(std::optional<ArrayRef<int64_t>> shape) {
  return shape ? std::optional(shape->drop_front(2)) : std::nullopt;
}

LogicalResult ConvTransposeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX()), weight = tensorOf(adaptor.getWeight());
  int64_t groups = adaptor.getGroups();
  if (failed(checkWeight(loc, x, weight, groups)))
    return failure();
  if (x.getDimSize(1) != weight.getDimSize(0))
    return emitOptionalError(loc, "x has ", x.getDimSize(1), " channels, weight [", weight.getShape(), "] takes ",
                             weight.getDimSize(0));
  SmallVector<int64_t> shape{x.getDimSize(0), weight.getDimSize(1) * groups};
  if (failed(checkChannels(loc, "bias", adaptor.getBias(), shape[1])))
    return failure();
  auto outputShape = adaptor.getOutputShape();
  if (outputShape && (int64_t(outputShape->size()) != x.getRank() || outputShape->take_front(2) != ArrayRef(shape)))
    return emitOptionalError(loc, "output_shape [", *outputShape, "] must be [", shape[0], ", ", shape[1], ", D...]");
  auto window = resolveTransposedWindow(loc, x.getShape().drop_front(2), weight.getShape().drop_front(2),
                                        specOf(adaptor), spatial(outputShape));
  if (failed(window))
    return failure();
  llvm::append_range(shape, window->output);
  return pushResult(loc, types, shape, x.getElementType());
}

Window ConvTransposeOp::getWindow() {
  return *resolveTransposedWindow(std::nullopt, getX().getType().getShape().drop_front(2),
                                  getWeight().getType().getShape().drop_front(2), specOf(*this),
                                  spatial(getOutputShape()));
}

int64_t ConvTransposeOp::getFlops() {
  RankedTensorType weight = getWeight().getType();
  return 2 * getX().getType().getNumElements() * (weight.getNumElements() / std::max<int64_t>(1, weight.getDimSize(0)));
}
