//===- Inference.cpp - type inference rules shared by ops -----------------===//

#include "ane/IR/Inference.h"
#include "ane/IR/Dtype.h"

using namespace mlir;
using namespace mlir::ane;

LogicalResult mlir::ane::checkTensors(OptionalLoc loc, ValueRange values) {
  for (Value value : values)
    if (auto type = dyn_cast<RankedTensorType>(value.getType()); !type || !type.hasStaticShape())
      return emitOptionalError(loc, "operands must be tensors of static shape, got ", value.getType());
  return success();
}

LogicalResult mlir::ane::checkCount(OptionalLoc loc, StringRef argument, size_t count, int64_t rank) {
  if (int64_t(count) == rank)
    return success();
  return emitOptionalError(loc, argument, " has ", count, " entries for rank ", rank);
}

LogicalResult mlir::ane::checkSameElementType(OptionalLoc loc, StringRef xName, Value x, StringRef yName, Value y) {
  Type xElement = tensorOf(x).getElementType(), yElement = tensorOf(y).getElementType();
  if (xElement == yElement)
    return success();
  return emitOptionalError(loc, xName, " has elements of type ", xElement, ", ", yName, " of type ", yElement);
}

LogicalResult mlir::ane::checkChannels(OptionalLoc loc, StringRef name, Value parameter, int64_t channels) {
  if (!parameter || tensorOf(parameter).getShape() == ArrayRef<int64_t>{channels})
    return success();
  return emitOptionalError(loc, name, " has shape [", tensorOf(parameter).getShape(), "], expected [", channels, "]");
}

LogicalResult mlir::ane::setProperties(OperationName name, OpaqueProperties properties, DictionaryAttr attributes,
                                       OptionalLoc loc) {
  auto emit = [&]() { return loc ? emitError(*loc) : InFlightDiagnostic(); };
  if (attributes && failed(name.setOpPropertiesFromAttribute(name, properties, attributes, emit)))
    return failure();
  name.populateDefaultProperties(properties);
  return success();
}

LogicalResult mlir::ane::pushResult(OptionalLoc loc, Types &types, ArrayRef<int64_t> shape, Type element) {
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return emitOptionalError(loc, "a result of shape [", shape, "] has a negative size");
  // A size of 0 makes room for any other.
  if (numElements(shape) > maxElements || llvm::any_of(shape, [](int64_t size) { return size > maxElements; }))
    return emitOptionalError(loc, "a result of shape [", shape, "] has more than ", maxElements, " elements");
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

//===-- rules -------------------------------------------------------------===//

LogicalResult mlir::ane::inferSameAs(Value x, Types &types) {
  types.push_back(x.getType());
  return success();
}

LogicalResult mlir::ane::inferSameWithAxis(OptionalLoc loc, Value x, int64_t axis, Types &types) {
  if (failed(checkTensors(loc, x)) || failed(normalizeAxis(loc, axis, tensorOf(x).getRank())))
    return failure();
  return inferSameAs(x, types);
}

static LogicalResult inferBinary(OptionalLoc loc, Value x, Value y, bool compare, Types &types) {
  if (failed(checkTensors(loc, {x, y})) || failed(checkSameElementType(loc, "x", x, "y", y)))
    return failure();
  auto shape = broadcastShapes(loc, tensorOf(x).getShape(), tensorOf(y).getShape());
  if (failed(shape))
    return failure();
  Type element = compare ? IntegerType::get(x.getContext(), 1) : tensorOf(x).getElementType();
  return pushResult(loc, types, *shape, element);
}

LogicalResult mlir::ane::inferBroadcast(OptionalLoc loc, Value x, Value y, Types &types) {
  return inferBinary(loc, x, y, /*compare=*/false, types);
}

LogicalResult mlir::ane::inferCompare(OptionalLoc loc, Value x, Value y, Types &types) {
  return inferBinary(loc, x, y, /*compare=*/true, types);
}

static SmallVector<int64_t> reducedShape(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes, bool keepDims) {
  SmallVector<int64_t> result;
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(axes, int64_t(i)))
      result.push_back(size);
    else if (keepDims)
      result.push_back(1);
  }
  return result;
}

LogicalResult mlir::ane::inferReduce(OptionalLoc loc, Value x, std::optional<ArrayRef<int64_t>> axes, bool keepDims,
                                     Types &types) {
  RankedTensorType type = tensorOf(x);
  auto normal = normalizeAxes(loc, axes, type.getRank());
  if (failed(normal))
    return failure();
  types.push_back(RankedTensorType::get(reducedShape(type.getShape(), *normal, keepDims), type.getElementType()));
  return success();
}

LogicalResult mlir::ane::inferReduceArg(OptionalLoc loc, Value x, int64_t axis, bool keepDims,
                                        std::optional<StringRef> dtype, Types &types) {
  RankedTensorType type = tensorOf(x);
  auto normal = normalizeAxis(loc, axis, type.getRank());
  if (failed(normal))
    return failure();
  FailureOr<Type> element = parseDtypeName(x.getContext(), dtype.value_or("int32"), loc, "output_dtype");
  if (failed(element))
    return failure();
  if (!isa<IntegerType>(*element) || element->isInteger(1))
    return emitOptionalError(loc, "output_dtype is '", *dtype, "', but an index is an integer");
  types.push_back(RankedTensorType::get(reducedShape(type.getShape(), *normal, keepDims), *element));
  return success();
}
