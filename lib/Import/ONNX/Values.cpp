//===- Values.cpp - inputs whose values are known -------------------------===//

#include "Values.h"
#include "../ConstantEvaluator.h"
#include "ane/IR/Dtype.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

llvm::Expected<GivenValue> GivenValue::parse(StringRef text) {
  GivenValue value;
  if (text.ends_with(".npy")) {
    auto array = ::ane::rt::npy::read(text.str());
    if (!array.ok())
      return makeError(std::string(array.status().message()));
    value.array = std::move(*array);
    return value;
  }
  for (StringRef part : llvm::split(text, ','))
    value.numbers.push_back(part.trim().str());
  return value;
}

std::optional<SmallVector<int64_t>> GivenValue::shapeFor(const onnx::TensorShapeProto *declared) const {
  if (array)
    return SmallVector<int64_t>(array->shape.begin(), array->shape.end());
  if (!declared)
    return numbers.size() == 1 ? SmallVector<int64_t>() : SmallVector<int64_t>{int64_t(numbers.size())};
  if (numbers.size() > 1 && declared->dim_size() == 1)
    return SmallVector<int64_t>{int64_t(numbers.size())};
  return std::nullopt;
}

/// The element of type `type` that `text` spells; null if there is none.
static Attribute element(StringRef text, Type type) {
  if (auto kind = dyn_cast<FloatType>(type)) {
    double number = 0;
    bool inexact;
    if (text.getAsDouble(number))
      return nullptr;
    APFloat value(number);
    APFloat::opStatus status = value.convert(kind.getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    return status & APFloat::opOverflow ? Attribute() : FloatAttr::get(type, value);
  }
  auto kind = cast<IntegerType>(type);
  if (kind.getWidth() == 1 && (text == "true" || text == "false"))
    return BoolAttr::get(type.getContext(), text == "true");
  bool isNegative = text.consume_front("-");
  bool isUnsigned = kind.isUnsigned() || kind.getWidth() == 1;
  APInt value;
  if (text.empty() || !llvm::all_of(text, llvm::isDigit) || text.size() > 20 || text.getAsInteger(10, value))
    return nullptr;
  value = value.zext(std::max(value.getBitWidth(), 72u));
  if (isNegative)
    value.negate();
  if (isUnsigned ? isNegative || !value.isIntN(kind.getWidth()) : !value.isSignedIntN(kind.getWidth()))
    return nullptr;
  return IntegerAttr::get(type, value.trunc(kind.getWidth()));
}

llvm::Expected<TypedAttr> GivenValue::constant(RankedTensorType type, StringRef subject) const {
  std::string wanted;
  llvm::raw_string_ostream(wanted) << type;
  if (array) {
    Type given = parseDtypeName(type.getContext(), ::ane::rt::milName(array->type));
    if (given != type.getElementType() || ArrayRef<int64_t>(array->shape) != type.getShape())
      return makeError(subject + " is " + wanted + ", but the file of its value holds " + array->describe());
    return denseFromBytes(type, {reinterpret_cast<const char *>(array->data.data()), array->data.size()});
  }
  if (numbers.size() != 1 && int64_t(numbers.size()) != type.getNumElements())
    return makeError(subject + " is " + wanted + ", but its value has " + Twine(numbers.size()) + " numbers");
  SmallVector<Attribute> elements;
  for (const std::string &number : numbers) {
    elements.push_back(element(number, type.getElementType()));
    if (!elements.back())
      return makeError(subject + " is " + wanted + ", but its value has the element '" + number + "'");
  }
  if (type.getNumElements() == 0)
    elements.clear();
  return DenseElementsAttr::get(type, elements);
}
