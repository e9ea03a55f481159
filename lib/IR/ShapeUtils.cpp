//===- ShapeUtils.cpp - shape inference helpers ---------------------------===//

#include "ane/IR/ShapeUtils.h"

using namespace mlir;

FailureOr<SmallVector<int64_t>> mlir::ane::broadcastShapes(std::optional<Location> loc, ArrayRef<int64_t> a,
                                                           ArrayRef<int64_t> b) {
  SmallVector<int64_t> shape(std::max(a.size(), b.size()));
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return emitOptionalError(loc, "shapes [", a, "] and [", b, "] do not broadcast: axis ", -int64_t(i) - 1, " has ",
                               x, " and ", y);
    shape[shape.size() - 1 - i] = x == 1 ? y : x;
  }
  return shape;
}
