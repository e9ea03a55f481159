//===- ResizeRewrites.cpp - images in another size ------------------------===//
//
// Each resized axis is gathered at the elements below and above the grid's points, which are known when compiling, and
// interpolated between them.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
#include "OpView.h"
#include "Rewrites.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;

/// How points are spread over an axis (coreml-mlprogram.md 3, image resizing). Unclamped.
static double gridPoint(StringRef sampling, double in, double out, double i) {
  if (sampling == "STRICT_ALIGN_CORNERS" || sampling == "ALIGN_CORNERS") {
    if (out > 1)
      return i * (in - 1) / (out - 1);
    return sampling == "ALIGN_CORNERS" ? (in - 1) / 2 : 0;
  }
  if (sampling == "OFFSET_CORNERS")
    return (i + 0.5) * std::max(1.0, in - 1) / out;
  if (sampling == "UNALIGN_CORNERS")
    return (i + 0.5) * in / out - 0.5;
  return i * in / out;
}

namespace {
struct Resizer {
  Operation *op;
  StringRef sampling;
  bool nearest;

  Value resized(OpBuilder &b, Value x, int64_t axis, int64_t out) const {
    int64_t in = shapeOf(x)[axis];
    std::vector<int32_t> low, high;
    std::vector<double> weights;
    for (int64_t i = 0; i < out; ++i) {
      double point = gridPoint(sampling, double(in), double(out), double(i));
      // The default grid takes the element that covers the point, the others the nearest.
      double shift = nearest ? (sampling == "DEFAULT" ? 0 : 0.5) : 0;
      double clamped = std::clamp(point + shift, 0.0, double(in - 1)), below = std::floor(clamped);
      low.push_back(int32_t(below));
      high.push_back(int32_t(std::min(below + 1, double(in - 1))));
      weights.push_back(clamped - below);
    }
    bool onPoints = nearest || llvm::all_of(weights, [](double weight) { return weight == 0; });
    if (onPoints && in == out && llvm::equal(low, llvm::seq<int32_t>(0, int32_t(out))))
      return x;
    SmallVector<int64_t> shape(shapeOf(x));
    shape[axis] = out;
    Type element = elementOf(x), type = RankedTensorType::get(shape, element);
    Location loc = op->getLoc();
    auto gathered = [&](ArrayRef<int32_t> indices) {
      auto kind = RankedTensorType::get({out}, b.getI32Type());
      Value constant = b.create<ConstOp>(loc, DenseElementsAttr::get(kind, indices));
      return createOp(b, loc, "ane.gather", {x, constant}, type, b.getNamedAttr("axis", b.getI64IntegerAttr(axis)))
          ->getResult(0);
    };
    Value lower = gathered(low);
    if (onPoints)
      return lower;
    SmallVector<int64_t> along(shape.size(), 1);
    along[axis] = out;
    auto kind = RankedTensorType::get(along, element);
    SmallVector<Attribute> values;
    for (double weight : weights)
      values.push_back(b.getFloatAttr(element, weight));
    Value weight = b.create<ConstOp>(loc, DenseElementsAttr::get(kind, values));
    Value step = createOp(b, loc, "ane.sub", {gathered(high), lower}, type)->getResult(0);
    Value part = createOp(b, loc, "ane.mul", {step, weight}, type)->getResult(0);
    return createOp(b, loc, "ane.add", {lower, part}, type)->getResult(0);
  }
};
} // namespace

bool host::rewriteResize(Operation *op) {
  OpView view(op);
  StringRef name = view.name();
  Resizer resizer{op, view.string("sampling_mode", "DEFAULT"), name == "resize_nearest_neighbor"};
  if (name == "upsample_bilinear") {
    bool align = view.flag("align_corners", true);
    resizer.sampling = align                                   ? "STRICT_ALIGN_CORNERS"
                       : view.flag("half_pixel_centers", true) ? "UNALIGN_CORNERS"
                                                               : "DEFAULT";
  } else if (name == "resize") {
    resizer.nearest = view.string("interpolation_mode", "LINEAR") == "NEAREST_NEIGHBOR";
  } else if (name != "resize_bilinear" && name != "resize_nearest_neighbor") {
    return false;
  }
  Value x = op->getOperand(0);
  if (!isa<FloatType>(elementOf(x)))
    return false; // interpolated integers are rounded
  OpBuilder b(op);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  Value result = x;
  for (int64_t axis = shape.size() - view.integer("resized_dims", 2); axis < int64_t(shape.size()); ++axis)
    result = resizer.resized(b, result, axis, shape[axis]);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return true;
}
