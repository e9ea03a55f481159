//===- Expr.cpp - formulas of handlers ------------------------------------===//

#include "Expr.h"
#include "../ConstantEvaluator.h"
#include "ane/Support/Saturate.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

/// The bits of `value` as an element of `type`.
static uint64_t bitsOf(Type type, double value) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return APInt(integer.getWidth(), saturatingInt(value), /*isSigned=*/true).getZExtValue();
  APFloat number(value);
  bool inexact;
  number.convert(cast<FloatType>(type).getFloatSemantics(), APFloat::rmNearestTiesToEven, &inexact);
  return number.bitcastToAPInt().getZExtValue();
}

Expr mlir::ane::onnx_import::table(NodeBinder &n, ArrayRef<int64_t> shape, Type element,
                                   function_ref<double(ArrayRef<int64_t>)> value) {
  RankedTensorType type = n.constantType(shape, element);
  if (!type)
    return {n, Value()};
  unsigned width = std::max(1u, element.getIntOrFloatBitWidth() / 8);
  std::vector<char> bytes;
  bytes.reserve(type.getNumElements() * width);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, count = type.getNumElements(); i < count; ++i) {
    uint64_t bits = bitsOf(element, value(index));
    bytes.insert(bytes.end(), reinterpret_cast<const char *>(&bits), reinterpret_cast<const char *>(&bits) + width);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
  return {n, n.constant(denseFromBytes(type, bytes))};
}

Expr mlir::ane::onnx_import::iota(NodeBinder &n, int64_t count, Type element, int64_t first, int64_t step) {
  return table(n, {count}, element, [=](ArrayRef<int64_t> at) { return double(first + at[0] * step); });
}

Expr mlir::ane::onnx_import::join(ArrayRef<Value> values, int64_t axis, NodeBinder &n) {
  if (values.size() == 1)
    return {n, values[0]};
  return {n, n.emit<ConcatOp>({Segment(values)}, {{"axis", axis}})};
}
