//===- Quant.cpp - quantisation and compressed constants ------------------===//

#include "ane/IR/ANE.h"
#include "ane/IR/Dtype.h"
#include "ane/IR/Inference.h"

using namespace mlir;
using namespace mlir::ane;

//===-- per-tensor and per-axis parameters --------------------------------===//

/// scale and zero_point are scalars, or vectors along `axis` of x.
static LogicalResult checkParameters(OptionalLoc loc, Value x, Value scale, Value zeroPoint,
                                     std::optional<int64_t> axis) {
  RankedTensorType type = tensorOf(x);
  int64_t rank = tensorOf(scale).getRank();
  if (zeroPoint && tensorOf(zeroPoint).getShape() != tensorOf(scale).getShape())
    return emitOptionalError(loc, "zero_point has shape [", tensorOf(zeroPoint).getShape(), "], scale [",
                             tensorOf(scale).getShape(), "]");
  if (rank == 0 && !axis)
    return success();
  if (rank != 1 || !axis)
    return emitOptionalError(loc, "scale has rank ", rank, axis ? " with" : " without",
                             " an axis: expected a scalar without, or a vector with one");
  auto normal = normalizeAxis(loc, *axis, type.getRank());
  return failure(failed(normal) || failed(checkChannels(loc, "scale", scale, type.getDimSize(*normal))));
}

LogicalResult QuantizeOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto element = parseDtypeName(context, adaptor.getOutputDtype(), loc, "output_dtype");
  if (failed(element) ||
      failed(checkParameters(loc, adaptor.getInput(), adaptor.getScale(), adaptor.getZeroPoint(), adaptor.getAxis())))
    return failure();
  if (!element->isInteger(8) && !element->isInteger(4))
    return emitOptionalError(loc, "output_dtype is '", adaptor.getOutputDtype(), "', expected int8 or uint8");
  if (Value zeroPoint = adaptor.getZeroPoint(); zeroPoint && tensorOf(zeroPoint).getElementType() != *element)
    return emitOptionalError(loc, "zero_point has elements of type ", tensorOf(zeroPoint).getElementType(),
                             ", the result of type ", *element);
  types.push_back(tensorOf(adaptor.getInput()).clone(*element));
  return success();
}

LogicalResult DequantizeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  if (failed(checkParameters(loc, adaptor.getInput(), adaptor.getScale(), adaptor.getZeroPoint(), adaptor.getAxis())))
    return failure();
  if (Value zeroPoint = adaptor.getZeroPoint();
      zeroPoint && failed(checkSameElementType(loc, "input", adaptor.getInput(), "zero_point", zeroPoint)))
    return failure();
  types.push_back(tensorOf(adaptor.getInput()).clone(tensorOf(adaptor.getScale()).getElementType()));
  return success();
}

LogicalResult ConstexprAffineDequantizeOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor,
                                                            Types &types) {
  RankedTensorType data = tensorOf(adaptor.getQuantizedData());
  auto axis = normalizeAxis(loc, adaptor.getAxis(), data.getRank());
  if (failed(axis) || failed(checkSameElementType(loc, "quantized_data", adaptor.getQuantizedData(), "zero_point",
                                                  adaptor.getZeroPoint())))
    return failure();
  for (auto [name, value] : {std::pair("scale", adaptor.getScale()), std::pair("zero_point", adaptor.getZeroPoint())})
    if (tensorOf(value).getRank() != 0 && failed(checkChannels(loc, name, value, data.getDimSize(*axis))))
      return failure();
  types.push_back(data.clone(tensorOf(adaptor.getScale()).getElementType()));
  return success();
}

//===-- blocks ------------------------------------------------------------===//

/// scale and offset have the rank of the data, and sizes that divide it.
static LogicalResult checkBlocks(OptionalLoc loc, ArrayRef<int64_t> data, Value scale, Value offset, Type element) {
  auto blocks = tensorOf(scale).getShape();
  bool fits = blocks.size() == data.size();
  for (size_t i = 0; fits && i < data.size(); ++i)
    fits = blocks[i] > 0 && data[i] % blocks[i] == 0;
  if (!fits)
    return emitOptionalError(loc, "scale [", blocks, "] does not divide data [", data, "] in blocks");
  if (!offset)
    return success();
  if (tensorOf(offset).getShape() != blocks)
    return emitOptionalError(loc, "offset has shape [", tensorOf(offset).getShape(), "], scale [", blocks, "]");
  Type offsetElement = tensorOf(offset).getElementType();
  if (isa<IntegerType>(offsetElement) && offsetElement != element)
    return emitOptionalError(loc, "offset has elements of type ", offsetElement, ", data of type ", element);
  return success();
}

LogicalResult ConstexprBlockwiseShiftScaleOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor,
                                                               Types &types) {
  RankedTensorType data = tensorOf(adaptor.getData());
  if (failed(checkBlocks(loc, data.getShape(), adaptor.getScale(), adaptor.getOffset(), data.getElementType())))
    return failure();
  types.push_back(data.clone(tensorOf(adaptor.getScale()).getElementType()));
  return success();
}

//===-- tables and sparse data --------------------------------------------===//

/// Checks lut [groups..., 2^bits, vector] against indices of `shape`; returns the vector length.
static FailureOr<int64_t> checkTable(OptionalLoc loc, ArrayRef<int64_t> shape, Type index, Value lut,
                                     std::optional<int64_t> vectorAxis) {
  auto table = tensorOf(lut).getShape();
  auto integer = dyn_cast<IntegerType>(index);
  if (!integer || !(integer.isUnsigned() || integer.getWidth() == 1) || integer.getWidth() > 8)
    return emitOptionalError(loc, "indices have elements of type ", index, ", expected unsigned of 1 to 8 bits");
  if (table.size() != shape.size() + 2)
    return emitOptionalError(loc, "lut has rank ", table.size(), ", expected ", shape.size() + 2,
                             ": [groups..., entries, vector]");
  int64_t entries = table[shape.size()], vector = table[shape.size() + 1];
  if (entries != int64_t(1) << integer.getWidth())
    return emitOptionalError(loc, "lut has ", entries, " entries, indices of ", integer.getWidth(), " bits address ",
                             int64_t(1) << integer.getWidth());
  for (auto [i, size] : llvm::enumerate(shape))
    if (table[i] < 1 || size % table[i] != 0)
      return emitOptionalError(loc, "axis ", i, ": ", table[i], " groups of lut do not divide ", size, " indices");
  if (vector != 1 && !vectorAxis)
    return emitOptionalError(loc, "lut has vectors of ", vector, ": vector_axis must be given");
  return vector;
}

LogicalResult ConstexprLutToDenseOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  RankedTensorType indices = tensorOf(adaptor.getIndices());
  SmallVector<int64_t> shape(indices.getShape());
  auto vector = checkTable(loc, shape, indices.getElementType(), adaptor.getLut(), adaptor.getVectorAxis());
  if (failed(vector))
    return failure();
  if (auto given = adaptor.getVectorAxis()) {
    auto axis = normalizeAxis(loc, *given, shape.size(), "vector_axis");
    if (failed(axis))
      return failure();
    shape[*axis] *= *vector;
  }
  types.push_back(RankedTensorType::get(shape, tensorOf(adaptor.getLut()).getElementType()));
  return success();
}

/// A mask of 1-bit elements, and the list of elements where it is set.
static LogicalResult checkSparse(OptionalLoc loc, StringRef maskName, Value mask, StringRef dataName, Value data) {
  if (tensorOf(mask).getElementTypeBitWidth() != 1)
    return emitOptionalError(loc, maskName, " has elements of type ", tensorOf(mask).getElementType(),
                             ", expected 1 bit");
  if (tensorOf(data).getRank() != 1 || tensorOf(data).getNumElements() > tensorOf(mask).getNumElements())
    return emitOptionalError(loc, dataName, " has shape [", tensorOf(data).getShape(), "], expected [n], n at most ",
                             tensorOf(mask).getNumElements());
  return success();
}

LogicalResult ConstexprSparseToDenseOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor,
                                                         Types &types) {
  if (failed(checkSparse(loc, "mask", adaptor.getMask(), "nonzero_data", adaptor.getNonzeroData())))
    return failure();
  types.push_back(tensorOf(adaptor.getMask()).clone(tensorOf(adaptor.getNonzeroData()).getElementType()));
  return success();
}

LogicalResult ConstexprLutToSparseOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor, Types &types) {
  Value mask = adaptor.getIndicesMask(), data = adaptor.getIndicesNonzeroData();
  if (failed(checkSparse(loc, "indices_mask", mask, "indices_nonzero_data", data)))
    return failure();
  SmallVector<int64_t> shape(tensorOf(mask).getShape());
  auto vector = checkTable(loc, shape, tensorOf(data).getElementType(), adaptor.getLut(), adaptor.getVectorAxis());
  if (failed(vector))
    return failure();
  if (auto given = adaptor.getVectorAxis()) {
    auto axis = normalizeAxis(loc, *given, shape.size(), "vector_axis");
    if (failed(axis))
      return failure();
    shape[*axis] *= *vector;
  }
  types.push_back(RankedTensorType::get(shape, tensorOf(mask).getElementType()));
  types.push_back(
      RankedTensorType::get({tensorOf(data).getNumElements() * *vector}, tensorOf(adaptor.getLut()).getElementType()));
  return success();
}

LogicalResult ConstexprSparseBlockwiseShiftScaleOp::inferReturnTypes(MLIRContext *, OptionalLoc loc, Adaptor adaptor,
                                                                     Types &types) {
  RankedTensorType mask = tensorOf(adaptor.getDataMask()), data = tensorOf(adaptor.getNonzeroData());
  if (failed(checkSparse(loc, "data_mask", adaptor.getDataMask(), "nonzero_data", adaptor.getNonzeroData())) ||
      failed(checkBlocks(loc, mask.getShape(), adaptor.getScale(), adaptor.getOffset(), data.getElementType())))
    return failure();
  types.push_back(mask);
  types.push_back(data.clone(tensorOf(adaptor.getScale()).getElementType()));
  return success();
}

LogicalResult ConstexprCastOp::inferReturnTypes(MLIRContext *context, OptionalLoc loc, Adaptor adaptor, Types &types) {
  auto element = parseDtypeName(context, adaptor.getOutputDtype(), loc, "output_dtype");
  if (failed(element))
    return failure();
  types.push_back(tensorOf(adaptor.getSourceVal()).clone(*element));
  return success();
}
