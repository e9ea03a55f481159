//===- Matchers.cpp - questions about constants ---------------------------===//

#include "ane/IR/Matchers.h"
#include <cmath>

using namespace mlir;

std::optional<double> mlir::ane::getSplat(Attribute attr) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(attr);
  if (!dense || !dense.isSplat())
    return std::nullopt;
  if (isa<FloatType>(dense.getElementType())) {
    APFloat value = dense.getSplatValue<APFloat>();
    bool exact;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &exact);
    return value.convertToDouble();
  }
  auto type = cast<IntegerType>(dense.getElementType());
  APInt value = dense.getSplatValue<APInt>();
  bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
  if ((isUnsigned ? value.getActiveBits() : value.getSignificantBits()) > 53)
    return std::nullopt;
  return isUnsigned ? double(value.getZExtValue()) : double(value.getSExtValue());
}

bool mlir::ane::isSplatOf(Attribute attr, double value) {
  std::optional<double> splat = getSplat(attr);
  return splat && *splat == value &&
         (isa<IntegerType>(cast<DenseElementsAttr>(attr).getElementType()) ||
          std::signbit(*splat) == std::signbit(value));
}

std::optional<SmallVector<int64_t>> mlir::ane::getIntegers(Attribute attr) {
  auto dense = dyn_cast_if_present<DenseElementsAttr>(attr);
  auto type = dense ? dyn_cast<IntegerType>(dense.getElementType()) : IntegerType();
  if (!type || type.getWidth() > 64 || dense.getNumElements() > 1024)
    return std::nullopt;
  bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
  SmallVector<int64_t> result;
  for (const APInt &value : dense.getValues<APInt>())
    result.push_back(isUnsigned ? int64_t(value.getZExtValue()) : value.getSExtValue());
  return result;
}

std::optional<SmallVector<int64_t>> mlir::ane::getIntegers(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return getIntegers(attr);
}
