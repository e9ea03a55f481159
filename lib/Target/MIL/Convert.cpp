//===- Convert.cpp - types and literals, both ways ------------------------===//

#include "Convert.h"
#include "ane/IR/Dtype.h"

using namespace mlir;
using namespace mlir::ane::mil;
using ::ane::rt::ElementType;

//===-- types -------------------------------------------------------------===//

std::optional<ElementType> mlir::ane::mil::elementTypeFor(Type type) {
  std::optional<ElementType> element = elementTypeOf(type);
  bool isMIL = element && *element != ElementType::BFloat16 && ::ane::rt::bitWidth(*element) < 64;
  return isMIL ? element : std::nullopt;
}

static Type builtinType(ElementType type, MLIRContext *context) {
  Builder builder(context);
  if (type == ElementType::Float16)
    return builder.getF16Type();
  if (type == ElementType::Float32)
    return builder.getF32Type();
  if (type == ElementType::Bool)
    return builder.getI1Type();
  if (!::ane::rt::isInteger(type) || ::ane::rt::bitWidth(type) == 64)
    return {};
  bool isUnsigned = ::ane::rt::milName(type).front() == 'u';
  return IntegerType::get(context, ::ane::rt::bitWidth(type),
                          isUnsigned ? IntegerType::Unsigned : IntegerType::Signless);
}

FailureOr<text::Type> mlir::ane::mil::toText(Type type, EmitError emitError) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return emitError() << "type " << type << " has no spelling in MIL: a static tensor is needed";
  std::optional<ElementType> element = elementTypeFor(tensor.getElementType());
  if (!element)
    return emitError() << "MIL has no tensors of " << tensor.getElementType() << ", found " << type
                       << "; such values stay on the host";
  return text::Type::tensor(*element, tensor.getShape().vec());
}

FailureOr<RankedTensorType> mlir::ane::mil::fromText(const text::Type &type, MLIRContext *context,
                                                     EmitError emitError) {
  if (!type.isScalar() && !type.isTensor())
    return emitError() << "type " << type.str() << " is not supported: a tensor or a scalar is needed";
  Type element = builtinType(type.dtype, context);
  if (!element)
    return emitError() << "type " << type.str() << " is not supported as a value";
  for (int64_t dim : type.dims)
    if (dim == text::kUnknownDim)
      return emitError() << "type " << type.str() << " has an unknown dimension; shapes must be static";
  if (!type.numElements())
    return emitError() << "type " << type.str() << " has too many elements";
  return RankedTensorType::get(type.dims, element);
}

//===-- constants ---------------------------------------------------------===//

FailureOr<text::Value> mlir::ane::mil::toText(DenseElementsAttr value, EmitError emitError) {
  FailureOr<text::Type> type = toText(value.getType(), emitError);
  if (failed(type))
    return failure();
  if (isa<FloatType>(value.getElementType())) {
    std::vector<double> floats;
    for (APFloat element : value.getValues<APFloat>()) {
      bool losesInfo;
      element.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
      floats.push_back(element.convertToDouble());
    }
    return text::Value::reals(std::move(*type), std::move(floats));
  }
  bool isSigned = type->dtype != ElementType::Bool && !value.getElementType().isUnsignedInteger();
  std::vector<int64_t> ints;
  for (const APInt &element : value.getValues<APInt>())
    ints.push_back(isSigned ? element.getSExtValue() : int64_t(element.getZExtValue()));
  return text::Value::integers(std::move(*type), std::move(ints));
}

FailureOr<DenseElementsAttr> mlir::ane::mil::fromText(const text::Value &value, RankedTensorType type,
                                                      EmitError emitError) {
  size_t count = value.floats.size() + value.ints.size();
  if (!value.isElements() || !value.strings.empty() || count != size_t(type.getNumElements()))
    return emitError() << "a value of " << count << " elements can't initialise " << type;
  if (auto floatType = dyn_cast<FloatType>(type.getElementType())) {
    SmallVector<APFloat> elements;
    auto append = [&](double element) {
      APFloat converted(element);
      bool losesInfo;
      APFloat::opStatus status =
          converted.convert(floatType.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
      elements.push_back(converted);
      return !(status & APFloat::opOverflow);
    };
    for (double element : value.floats)
      if (!append(element))
        return emitError() << "value " << element << " is out of range of " << floatType;
    // A bare literal without a point in place of a float.
    for (int64_t element : value.ints)
      if (value.typed || !append(double(element)))
        return emitError() << "integer " << element << " can't initialise " << type;
    return DenseElementsAttr::get(type, elements);
  }
  if (!value.floats.empty())
    return emitError() << "a float can't initialise " << type;
  unsigned width = type.getElementTypeBitWidth();
  bool isUnsigned = type.getElementType().isUnsignedInteger() || width == 1;
  SmallVector<APInt> elements;
  for (int64_t element : value.ints) {
    if (isUnsigned ? !llvm::isUIntN(width, element) : !llvm::isIntN(width, element))
      return emitError() << "value " << element << " is out of range of " << type.getElementType();
    elements.emplace_back(width, uint64_t(element), !isUnsigned);
  }
  return DenseElementsAttr::get(type, elements);
}

//===-- compile-time parameters -------------------------------------------===//

FailureOr<text::Value> mlir::ane::mil::toText(Attribute value, ElementType floatType, EmitError emitError) {
  auto scalar = [](ElementType type) { return text::Type::tensor(type, {}); };
  auto list = [](ElementType type, size_t size) { return text::Type::tensor(type, {int64_t(size)}); };
  auto checkInt32 = [&](int64_t integer) {
    return llvm::isInt<32>(integer) ? success()
                                    : LogicalResult(emitError() << integer << " is out of range of MIL's int32");
  };
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return text::Value::integers(scalar(ElementType::Bool), {boolean.getValue()});
  if (auto integer = dyn_cast<IntegerAttr>(value)) {
    if (failed(checkInt32(integer.getInt())))
      return failure();
    return text::Value::integers(scalar(ElementType::Int32), {integer.getInt()});
  }
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(value)) {
    for (int64_t integer : integers.asArrayRef())
      if (failed(checkInt32(integer)))
        return failure();
    return text::Value::integers(list(ElementType::Int32, integers.size()), integers.asArrayRef().vec());
  }
  if (auto booleans = dyn_cast<DenseBoolArrayAttr>(value)) {
    ArrayRef<bool> flags = booleans.asArrayRef();
    return text::Value::integers(list(ElementType::Bool, flags.size()), {flags.begin(), flags.end()});
  }
  if (auto string = dyn_cast<StringAttr>(value))
    return text::Value::string(string.str(), scalar(ElementType::String));
  if (auto number = dyn_cast<FloatAttr>(value)) {
    // Rounded here, so that the text says what the engine computes with.
    APFloat rounded = number.getValue();
    bool losesInfo;
    const llvm::fltSemantics &semantics =
        floatType == ElementType::Float16 ? APFloat::IEEEhalf() : APFloat::IEEEsingle();
    rounded.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    rounded.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
    return text::Value::reals(scalar(floatType), {rounded.convertToDouble()});
  }
  return emitError() << "attribute " << value << " has no spelling in MIL";
}

llvm::StringRef mlir::ane::mil::describe(MILArgumentKind kind) {
  switch (kind) {
  case MILArgumentKind::IntegerAttr:
    return "an integer";
  case MILArgumentKind::DenseI64ArrayAttr:
    return "a list of integers";
  case MILArgumentKind::BoolAttr:
    return "a bool";
  case MILArgumentKind::DenseBoolArrayAttr:
    return "a list of bools";
  case MILArgumentKind::StringAttr:
    return "a string";
  case MILArgumentKind::FloatAttr:
    return "a number";
  case MILArgumentKind::FlatSymbolRefAttr:
    return "a state";
  case MILArgumentKind::VariadicValue:
    return "a tuple of tensors";
  case MILArgumentKind::Value:
  case MILArgumentKind::OptionalValue:
    return "a tensor";
  }
  llvm_unreachable("unknown kind");
}

FailureOr<Attribute> mlir::ane::mil::fromText(const text::Value &value, MILArgumentKind kind, MLIRContext *context,
                                              EmitError emitError) {
  Builder builder(context);
  bool isBool = value.type.dtype == ElementType::Bool;
  bool isInts = value.isElements() && !isBool && ::ane::rt::isInteger(value.type.dtype);
  size_t count = value.ints.size() + value.floats.size() + value.strings.size();
  switch (kind) {
  case MILArgumentKind::IntegerAttr:
    if (isInts && count == 1)
      return builder.getI64IntegerAttr(value.ints[0]);
    break;
  case MILArgumentKind::DenseI64ArrayAttr:
    if (isInts || (value.isElements() && count == 0))
      return builder.getDenseI64ArrayAttr(value.ints);
    break;
  case MILArgumentKind::BoolAttr:
    if (value.isElements() && isBool && count == 1)
      return builder.getBoolAttr(value.ints[0]);
    break;
  case MILArgumentKind::DenseBoolArrayAttr:
    if (value.isElements() && (isBool || count == 0))
      return builder.getDenseBoolArrayAttr(SmallVector<bool>(value.ints.begin(), value.ints.end()));
    break;
  case MILArgumentKind::StringAttr:
    if (value.isElements() && value.strings.size() == 1)
      return builder.getStringAttr(value.strings[0]);
    break;
  case MILArgumentKind::FloatAttr:
    if (value.isElements() && value.floats.size() == 1)
      return builder.getF64FloatAttr(value.floats[0]);
    if (isInts && count == 1)
      return builder.getF64FloatAttr(double(value.ints[0]));
    break;
  case MILArgumentKind::Value:
  case MILArgumentKind::OptionalValue:
  case MILArgumentKind::VariadicValue:
  case MILArgumentKind::FlatSymbolRefAttr:
    break;
  }
  return emitError() << "takes " << describe(kind) << ", found a value of type " << value.type.str();
}
