//===- Data.cpp - elements of a constant while it is folded ---------------===//

#include "Data.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::fold;

static bool isUnsigned(Type type) { return type.isUnsignedInteger() || type.isInteger(1); }

static bool canHold(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return integer.getWidth() <= 64;
  return element.isF16() || element.isBF16() || element.isF32() || element.isF64();
}

MaybeData fold::read(DenseElementsAttr attr) {
  auto type = cast<RankedTensorType>(attr.getType());
  Type element = type.getElementType();
  if (!canHold(element))
    return std::nullopt;
  Data data{attr.isSplat() ? RankedTensorType::get({}, element) : type, {}, {}};
  if (auto singles = attr.tryGetValues<float>(); element.isF32() && succeeded(singles)) {
    data.floats.assign(singles->begin(), attr.isSplat() ? std::next(singles->begin()) : singles->end());
    return data;
  }
  if (isa<FloatType>(element)) {
    auto add = [&](APFloat number) {
      bool inexact;
      number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
      data.floats.push_back(number.convertToDouble());
    };
    if (attr.isSplat())
      add(attr.getSplatValue<APFloat>());
    else
      llvm::for_each(attr.getValues<APFloat>(), add);
    return data;
  }
  auto add = [&](const APInt &number) {
    data.ints.push_back(isUnsigned(element) ? int64_t(number.getZExtValue()) : number.getSExtValue());
  };
  if (attr.isSplat())
    add(attr.getSplatValue<APInt>());
  else
    llvm::for_each(attr.getValues<APInt>(), add);
  return data;
}

MaybeFloat fold::roundTo(Type type, double value) {
  // Machines differ in the sign of the NaN that 0 / 0 gives.
  if (std::isnan(value))
    return std::numeric_limits<double>::quiet_NaN();
  if (type.isF32()) { // by far the most frequent
    if (float rounded = value; std::isfinite(rounded) || std::isinf(value))
      return rounded;
    return std::nullopt;
  }
  APFloat number(value);
  bool inexact;
  number.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  if (number.isInfinity() && !std::isinf(value))
    return std::nullopt;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &inexact);
  return number.convertToDouble();
}

/// Whether an integer of `type` can have the value.
static bool fits(int64_t value, Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  if (width == 64)
    return true;
  if (isUnsigned(type))
    return value >= 0 && value < int64_t(1) << width;
  return value >= -(int64_t(1) << (width - 1)) && value < int64_t(1) << (width - 1);
}

DenseElementsAttr fold::write(const Data &data) {
  Type element = data.type.getElementType();
  if (data.type.getNumElements() == 0)
    return DenseElementsAttr::get(data.type, ArrayRef<Attribute>());
  if (element.isF32()) {
    SmallVector<float> numbers;
    for (double value : data.floats) {
      MaybeFloat rounded = roundTo(element, value);
      if (!rounded)
        return nullptr;
      numbers.push_back(*rounded);
    }
    return DenseElementsAttr::get(data.type, ArrayRef<float>(numbers));
  }
  if (data.isFloat()) {
    SmallVector<APFloat> numbers;
    for (double value : data.floats) {
      if (!roundTo(element, value))
        return nullptr;
      bool inexact;
      numbers.emplace_back(value);
      numbers.back().convert(cast<FloatType>(element).getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
    }
    return DenseElementsAttr::get(data.type, numbers);
  }
  SmallVector<APInt> numbers;
  for (int64_t value : data.ints) {
    if (!fits(value, element))
      return nullptr;
    numbers.emplace_back(element.getIntOrFloatBitWidth(), uint64_t(value), !isUnsigned(element));
  }
  return DenseElementsAttr::get(data.type, numbers);
}

void fold::forEachIndex(ArrayRef<int64_t> shape, function_ref<void(ArrayRef<int64_t>)> body) {
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t n = 0, count = numElements(shape); n < count; ++n) {
    body(index);
    for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0 && ++index[axis] == shape[axis]; --axis)
      index[axis] = 0;
  }
}
