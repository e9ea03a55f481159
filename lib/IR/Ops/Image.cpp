//===- Image.cpp - image resizing -----------------------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Inference.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ane;

/// x [..., H, W] with another height and width.
static LogicalResult inferResized(OptionalLoc loc, Value x, int64_t minimumRank, int64_t height, int64_t width,
                                  Types &types) {
  SmallVector<int64_t> shape(tensorOf(x).getShape());
  if (int64_t(shape.size()) < minimumRank)
    return emitOptionalError(loc, "x has rank ", shape.size(), ", needs ", minimumRank, " or more: [..., H, W]");
  if (height < 1 || width < 1)
    return emitOptionalError(loc, "height ", height, " and width ", width, " must be positive");
  shape[shape.size() - 2] = height;
  shape[shape.size() - 1] = width;
  return pushResult(loc, types, shape, tensorOf(x).getElementType());
}

static LogicalResult inferScaled(OptionalLoc loc, Value x, int64_t height, int64_t width, Types &types) {
  auto shape = tensorOf(x).getShape();
  if (height < 1 || width < 1)
    return emitOptionalError(loc, "scale factors ", height, " and ", width, " must be positive");
  if (shape.size() < 3)
    return emitOptionalError(loc, "x has rank ", shape.size(), ", needs 3 or more: [..., H, W]");
  auto size = shape.take_back(2);
  return inferResized(loc, x, 3, saturatingMul(size[0], height), saturatingMul(size[1], width), types);
}

/// Fails unless `value` is one of `allowed`.
static LogicalResult checkMode(OptionalLoc loc, StringRef name, StringRef value, ArrayRef<StringRef> allowed) {
  if (llvm::is_contained(allowed, value))
    return success();
  return emitOptionalError(loc, name, " is '", value, "', expected one of ", llvm::join(allowed, ", "));
}

static LogicalResult checkSampling(OptionalLoc loc, StringRef mode) {
  return checkMode(loc, "sampling_mode", mode,
                   {"STRICT_ALIGN_CORNERS", "ALIGN_CORNERS", "DEFAULT", "OFFSET_CORNERS", "UNALIGN_CORNERS"});
}

LogicalResult UpsampleNearestNeighborOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor,
                                                          Types &types) {
  return inferScaled(loc, adaptor.getX(), adaptor.getScaleFactorHeight(), adaptor.getScaleFactorWidth(), types);
}

LogicalResult UpsampleBilinearOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferScaled(loc, adaptor.getX(), adaptor.getScaleFactorHeight(), adaptor.getScaleFactorWidth(), types);
}

LogicalResult ResizeNearestNeighborOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  return inferResized(loc, adaptor.getX(), 3, adaptor.getTargetSizeHeight(), adaptor.getTargetSizeWidth(), types);
}

LogicalResult ResizeBilinearOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkSampling(loc, adaptor.getSamplingMode())))
    return failure();
  return inferResized(loc, adaptor.getX(), 3, adaptor.getTargetSizeHeight(), adaptor.getTargetSizeWidth(), types);
}

LogicalResult ResizeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  SmallVector<int64_t> shape(tensorOf(adaptor.getX()).getShape());
  int64_t count = adaptor.getResizedDims(), rank = shape.size(), given = adaptor.getShape().size();
  if (count < 1 || count > rank || count > given)
    return emitOptionalError(loc, "resized_dims is ", count, ", must be 1 to ", std::min(rank, given),
                             " (rank of x and entries of shape)");
  if (failed(checkSampling(loc, adaptor.getSamplingMode())) ||
      failed(checkMode(loc, "interpolation_mode", adaptor.getInterpolationMode(), {"LINEAR", "NEAREST_NEIGHBOR"})))
    return failure();
  for (int64_t i = 0; i < count; ++i) {
    int64_t size = adaptor.getShape()[given - count + i];
    if (size < 0)
      return emitOptionalError(loc, "shape [", adaptor.getShape(), "] has a negative size");
    if (size > 0)
      shape[rank - count + i] = size;
  }
  return pushResult(loc, types, shape, tensorOf(adaptor.getX()).getElementType());
}

LogicalResult CropOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto shape = tensorOf(adaptor.getX()).getShape();
  auto height = adaptor.getCropHeight(), width = adaptor.getCropWidth();
  if (shape.size() < 3 || height.size() != 2 || width.size() != 2)
    return emitOptionalError(loc,
                             "expected x of rank 3 or more and two entries in crop_height and crop_width, got rank ",
                             shape.size(), ", [", height, "] and [", width, "]");
  auto size = shape.take_back(2);
  int64_t newHeight = size[0] - saturatingAdd(height[0], height[1]);
  int64_t newWidth = size[1] - saturatingAdd(width[0], width[1]);
  if (std::min({height[0], height[1], width[0], width[1]}) < 0 || newHeight < 1 || newWidth < 1)
    return emitOptionalError(loc, "crop_height [", height, "] and crop_width [", width, "] leave nothing of ", size[0],
                             " x ", size[1], ", or are negative");
  return inferResized(loc, adaptor.getX(), 3, newHeight, newWidth, types);
}

LogicalResult CropResizeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX()), boxes = tensorOf(adaptor.getBoxes());
  if (x.getRank() != 4)
    return emitOptionalError(loc, "x has rank ", x.getRank(), ", expected 4: [B, C, H, W]");
  if (boxes.getRank() != 2 || boxes.getDimSize(1) != 4)
    return emitOptionalError(loc, "boxes have shape [", boxes.getShape(), "], expected [N, 4]");
  int64_t count = boxes.getDimSize(0), height = adaptor.getTargetHeight(), width = adaptor.getTargetWidth();
  if (failed(checkChannels(loc, "box_indices", adaptor.getBoxIndices(), count)) ||
      failed(checkSampling(loc, adaptor.getSamplingMode())) ||
      failed(checkMode(
          loc, "box_coordinate_mode", adaptor.getBoxCoordinateMode(),
          {"CORNERS_HEIGHT_FIRST", "CORNERS_WIDTH_FIRST", "CENTER_SIZE_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST"})))
    return failure();
  if (height < 1 || width < 1)
    return emitOptionalError(loc, "target_height ", height, " and target_width ", width, " must be positive");
  return pushResult(loc, types, {count, x.getDimSize(1), height, width}, x.getElementType());
}

/// The modes that `affine` and `resample` share.
template <typename AdaptorTy>
static LogicalResult checkSampled(OptionalLoc loc, AdaptorTy adaptor) {
  if (tensorOf(adaptor.getX()).getRank() != 4)
    return emitOptionalError(loc, "x has rank ", tensorOf(adaptor.getX()).getRank(), ", expected 4: [B, C, H, W]");
  return failure(failed(checkMode(loc, "sampling_mode", adaptor.getSamplingMode(), {"nearest", "bilinear"})) ||
                 failed(checkMode(loc, "padding_mode", adaptor.getPaddingMode(),
                                  {"constant", "border", "reflection", "symmetric"})) ||
                 failed(checkMode(loc, "coordinates_mode", adaptor.getCoordinatesMode(),
                                  {"unnormalized", "normalized_minus_one_to_one", "normalized_zero_to_one"})));
}

LogicalResult AffineOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkSampled(loc, adaptor)))
    return failure();
  int64_t batch = tensorOf(adaptor.getX()).getDimSize(0);
  auto matrix = tensorOf(adaptor.getTransformMatrix()).getShape();
  if (matrix.size() != 2 || (matrix[0] != batch && matrix[0] != 1) || matrix[1] != 6)
    return emitOptionalError(loc, "transform_matrix has shape [", matrix, "], expected [", batch, ", 6] or [1, 6]");
  return inferResized(loc, adaptor.getX(), 4, adaptor.getOutputHeight(), adaptor.getOutputWidth(), types);
}

LogicalResult ResampleOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkSampled(loc, adaptor)))
    return failure();
  int64_t batch = tensorOf(adaptor.getX()).getDimSize(0);
  auto coordinates = tensorOf(adaptor.getCoordinates()).getShape();
  if (coordinates.size() != 4 || coordinates[0] != batch || coordinates[3] != 2)
    return emitOptionalError(loc, "coordinates have shape [", coordinates, "], expected [", batch, ", H, W, 2]");
  return inferResized(loc, adaptor.getX(), 4, coordinates[1], coordinates[2], types);
}
