//===- Gather.cpp - indexing, selection, ordering -------------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;

//===-- gather ------------------------------------------------------------===//

static LogicalResult checkBatchDims(OptionalLoc loc, int64_t batchDims, int64_t limit, StringRef limitText, Value x,
                                    Value indices) {
  if (batchDims < 0 || batchDims > limit)
    return emitOptionalError(loc, "batch_dims is ", batchDims, ", must be 0 to ", limit, " (", limitText, ")");
  auto xShape = tensorOf(x).getShape(), indexShape = tensorOf(indices).getShape();
  if (xShape.take_front(batchDims) != indexShape.take_front(batchDims))
    return emitOptionalError(loc, "the first ", batchDims, " axes of x [", xShape, "] and indices [", indexShape,
                             "] differ");
  return success();
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto x = tensorOf(adaptor.getX()), indices = tensorOf(adaptor.getIndices());
  auto axis = normalizeAxis(loc, adaptor.getAxis(), x.getRank());
  int64_t batchDims = adaptor.getBatchDims();
  if (failed(axis) || failed(checkBatchDims(loc, batchDims, std::min(*axis, indices.getRank()),
                                            "axis and the rank of indices", adaptor.getX(), adaptor.getIndices())))
    return failure();
  SmallVector<int64_t> shape(x.getShape().take_front(*axis));
  llvm::append_range(shape, indices.getShape().drop_front(batchDims));
  llvm::append_range(shape, x.getShape().drop_front(*axis + 1));
  return pushResult(loc, types, shape, x.getElementType());
}

/// `part` must agree with `whole` on every axis but `axis`.
static LogicalResult checkAlongAxis(OptionalLoc loc, StringRef wholeName, RankedTensorType whole, StringRef partName,
                                    RankedTensorType part, int64_t axis) {
  bool agree = whole.getRank() == part.getRank();
  for (int64_t i = 0; agree && i < whole.getRank(); ++i)
    agree = i == axis || whole.getDimSize(i) == part.getDimSize(i);
  if (agree)
    return success();
  return emitOptionalError(loc, partName, " [", part.getShape(), "] must agree with ", wholeName, " [",
                           whole.getShape(), "] on every axis but ", axis);
}

LogicalResult GatherAlongAxisOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto x = tensorOf(adaptor.getX()), indices = tensorOf(adaptor.getIndices());
  auto axis = normalizeAxis(loc, adaptor.getAxis(), x.getRank());
  if (failed(axis) || failed(checkAlongAxis(loc, "x", x, "indices", indices, *axis)))
    return failure();
  types.push_back(RankedTensorType::get(indices.getShape(), x.getElementType()));
  return success();
}

/// The length of the index tuples in the last axis of `indices`, which index `rank` axes.
static FailureOr<int64_t> tupleLength(OptionalLoc loc, RankedTensorType indices, StringRef name, int64_t rank) {
  if (indices.getRank() < 1)
    return emitOptionalError(loc, "indices must have rank 1 or more");
  int64_t length = indices.getShape().back();
  if (length > rank)
    return emitOptionalError(loc, "indices [", indices.getShape(), "] hold tuples of ", length, ", but ", name,
                             " has only ", rank, " axes to index");
  return length;
}

LogicalResult GatherNdOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto x = tensorOf(adaptor.getX()), indices = tensorOf(adaptor.getIndices());
  int64_t batchDims = adaptor.getBatchDims();
  if (failed(checkBatchDims(loc, batchDims, std::min(x.getRank(), std::max<int64_t>(indices.getRank() - 1, 0)),
                            "ranks of x and of indices without the last axis", adaptor.getX(), adaptor.getIndices())))
    return failure();
  auto length = tupleLength(loc, indices, "x", x.getRank() - batchDims);
  if (failed(length))
    return failure();
  SmallVector<int64_t> shape(indices.getShape().drop_back());
  llvm::append_range(shape, x.getShape().drop_front(batchDims + *length));
  return pushResult(loc, types, shape, x.getElementType());
}

//===-- scatter -----------------------------------------------------------===//

static LogicalResult inferScatter(OptionalLoc loc, Value data, Value updates, StringRef mode, Types &types) {
  if (!llvm::is_contained({"update", "add", "sub", "mul", "div", "max", "min"}, mode))
    return emitOptionalError(loc, "mode is '", mode, "', expected update, add, sub, mul, div, max or min");
  if (failed(checkSameElementType(loc, "data", data, "updates", updates)))
    return failure();
  return inferSameAs(data, types);
}

static LogicalResult checkUpdates(OptionalLoc loc, Value updates, ArrayRef<int64_t> expected) {
  if (tensorOf(updates).getShape() == expected)
    return success();
  return emitOptionalError(loc, "updates have shape [", tensorOf(updates).getShape(), "], expected [", expected, "]");
}

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getOperands())))
    return failure();
  auto data = tensorOf(adaptor.getData()).getShape();
  auto axis = normalizeAxis(loc, adaptor.getAxis(), data.size());
  if (failed(axis))
    return failure();
  SmallVector<int64_t> expected(data.take_front(*axis));
  llvm::append_range(expected, tensorOf(adaptor.getIndices()).getShape());
  llvm::append_range(expected, data.drop_front(*axis + 1));
  if (failed(checkUpdates(loc, adaptor.getUpdates(), expected)))
    return failure();
  return inferScatter(loc, adaptor.getData(), adaptor.getUpdates(), adaptor.getMode(), types);
}

LogicalResult ScatterAlongAxisOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getOperands())))
    return failure();
  auto data = tensorOf(adaptor.getData()), indices = tensorOf(adaptor.getIndices());
  auto axis = normalizeAxis(loc, adaptor.getAxis(), data.getRank());
  if (failed(axis) || failed(checkAlongAxis(loc, "data", data, "indices", indices, *axis)) ||
      failed(checkUpdates(loc, adaptor.getUpdates(), indices.getShape())))
    return failure();
  return inferScatter(loc, adaptor.getData(), adaptor.getUpdates(), adaptor.getMode(), types);
}

LogicalResult ScatterNdOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getOperands())))
    return failure();
  auto data = tensorOf(adaptor.getData()), indices = tensorOf(adaptor.getIndices());
  auto length = tupleLength(loc, indices, "data", data.getRank());
  if (failed(length))
    return failure();
  SmallVector<int64_t> expected(indices.getShape().drop_back());
  llvm::append_range(expected, data.getShape().drop_front(*length));
  if (failed(checkUpdates(loc, adaptor.getUpdates(), expected)))
    return failure();
  return inferScatter(loc, adaptor.getData(), adaptor.getUpdates(), adaptor.getMode(), types);
}

//===-- one_hot -----------------------------------------------------------===//

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto indices = tensorOf(adaptor.getIndices()).getShape();
  auto axis = normalizeAxis(loc, adaptor.getAxis(), indices.size() + 1);
  if (failed(axis))
    return failure();
  if (adaptor.getOneHotVectorSize() < 1)
    return emitOptionalError(loc, "one_hot_vector_size is ", adaptor.getOneHotVectorSize(), ", must be positive");
  Type element = IntegerType::get(context, 32);
  Value on = adaptor.getOnValue(), off = adaptor.getOffValue();
  for (auto [name, value] : {std::pair("on_value", on), std::pair("off_value", off)}) {
    if (!value)
      continue;
    if (tensorOf(value).getRank() != 0)
      return emitOptionalError(loc, name, " has shape [", tensorOf(value).getShape(), "], expected a scalar");
    element = tensorOf(value).getElementType();
  }
  if (on && off && failed(checkSameElementType(loc, "on_value", on, "off_value", off)))
    return failure();
  SmallVector<int64_t> shape(indices);
  shape.insert(shape.begin() + *axis, adaptor.getOneHotVectorSize());
  return pushResult(loc, types, shape, element);
}

//===-- order -------------------------------------------------------------===//

LogicalResult TopkOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorOf(adaptor.getX());
  auto axis = normalizeAxis(loc, adaptor.getAxis(), x.getRank());
  if (failed(axis))
    return failure();
  int64_t k = adaptor.getK();
  if (k < 1 || k > x.getDimSize(*axis))
    return emitOptionalError(loc, "k is ", k, ", must be 1 to ", x.getDimSize(*axis), ", the size of axis ", *axis);
  SmallVector<int64_t> shape(x.getShape());
  shape[*axis] = k;
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  if (!adaptor.getReturnIndices())
    return success();
  auto element =
      parseDtypeName(context, adaptor.getOutputIndicesDtype().value_or("int32"), loc, "output_indices_dtype");
  if (failed(element))
    return failure();
  types.push_back(RankedTensorType::get(shape, *element));
  return success();
}

LogicalResult ArgsortOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkTensors(loc, adaptor.getX())))
    return failure();
  RankedTensorType x = tensorOf(adaptor.getX());
  if (failed(normalizeAxis(loc, adaptor.getAxis(), x.getRank())))
    return failure();
  types.push_back(RankedTensorType::get(x.getShape(), IntegerType::get(context, 32)));
  return success();
}

LogicalResult NonMaximumSuppressionOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor adaptor,
                                                        Types &types) {
  RankedTensorType boxes = tensorOf(adaptor.getBoxes()), scores = tensorOf(adaptor.getScores());
  if (boxes.getRank() != 3 || boxes.getDimSize(2) != 4)
    return emitOptionalError(loc, "boxes have shape [", boxes.getShape(), "], expected [B, N, 4]");
  if (scores.getRank() != 3 || scores.getShape().take_front(2) != boxes.getShape().take_front(2))
    return emitOptionalError(loc, "scores have shape [", scores.getShape(), "], expected [", boxes.getDimSize(0), ", ",
                             boxes.getDimSize(1), ", K]");
  int64_t batch = boxes.getDimSize(0), kept = adaptor.getMaxBoxes();
  if (kept < 1 || kept > INT32_MAX)
    return emitOptionalError(loc, "max_boxes is ", kept, ", must be positive and fit int32");
  Type index = IntegerType::get(context, 32);
  types.push_back(RankedTensorType::get({batch, kept, 4}, boxes.getElementType()));
  types.push_back(RankedTensorType::get({batch, kept, scores.getDimSize(2)}, scores.getElementType()));
  types.push_back(RankedTensorType::get({batch, kept}, index));
  types.push_back(RankedTensorType::get({batch}, index));
  return success();
}
