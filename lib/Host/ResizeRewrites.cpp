//===- ResizeRewrites.cpp - images in another size ------------------------===//
//
// Each resized axis is gathered at the elements below and above the grid's points, which are known when compiling, and
// interpolated between them.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "Rewrites.h"
#include "ane/IR/Resize.h"

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

static Value resized(Maker &m, Value x, const Resizer &resizer, int64_t axis, int64_t out) {
  int64_t in = shapeOf(x)[axis];
  AxisGrid grid = resizer.grid(in, out);
  if (grid.isOnElements() && in == out && llvm::equal(grid.low, llvm::seq<int32_t>(0, int32_t(out))))
    return x;
  Type element = elementOf(x);
  auto gathered = [&](ArrayRef<int32_t> indices) -> Value {
    auto kind = RankedTensorType::get({out}, m.b.getI32Type());
    Value constant = m.make<ConstOp>(DenseElementsAttr::get(kind, indices));
    return m.make<GatherOp>(x, constant, axis);
  };
  Value lower = gathered(grid.low);
  if (grid.isOnElements())
    return lower;
  SmallVector<int64_t> along(shapeOf(x).size(), 1);
  along[axis] = out;
  auto kind = RankedTensorType::get(along, element);
  SmallVector<Attribute> values;
  for (double weight : grid.weights)
    values.push_back(m.b.getFloatAttr(element, weight));
  Value weight = m.make<ConstOp>(DenseElementsAttr::get(kind, values));
  return m.add(lower, m.mul(m.sub(gathered(grid.high), lower), weight));
}

bool host::rewriteResize(Operation *op) {
  std::optional<Resizer> resizer = Resizer::of(op);
  if (!resizer)
    return false;
  Value x = op->getOperand(0);
  if (!isa<FloatType>(elementOf(x)))
    return false; // interpolated integers are rounded
  Maker m(op);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  Value result = x;
  for (int64_t axis = shape.size() - resizer->axes; axis < int64_t(shape.size()); ++axis)
    result = resized(m, result, *resizer, axis, shape[axis]);
  m.replace(result);
  return true;
}
