//===- Expr.cpp - formulas of handlers ------------------------------------===//

#include "Expr.h"
#include "ane/IR/ShapeUtils.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::onnx_import;

Expr mlir::ane::onnx_import::table(NodeBinder &n, ArrayRef<int64_t> shape, Type element,
                                   function_ref<double(ArrayRef<int64_t>)> value) {
  auto type = RankedTensorType::get(shape, element);
  SmallVector<Attribute> elements;
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, count = type.getNumElements(); i < count; ++i) {
    double v = value(index);
    if (auto integer = dyn_cast<IntegerType>(element))
      elements.push_back(IntegerAttr::get(element, APInt(integer.getWidth(), int64_t(v), /*isSigned=*/true)));
    else
      elements.push_back(FloatAttr::get(element, v));
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
  return {n, n.constant(DenseElementsAttr::get(type, elements))};
}

Expr mlir::ane::onnx_import::iota(NodeBinder &n, int64_t count, Type element, int64_t first, int64_t step) {
  return table(n, {count}, element, [=](ArrayRef<int64_t> at) { return double(first + at[0] * step); });
}

Expr mlir::ane::onnx_import::join(ArrayRef<Value> values, int64_t axis, NodeBinder &n) {
  if (values.size() == 1)
    return {n, values[0]};
  return {n, n.emit<ConcatOp>({Segment(values)}, {{"axis", axis}})};
}
