//===- ResizeRewrites.cpp - images in another size ------------------------===//
//
// Each resized axis is gathered at the elements below and above the grid's points, which are known when compiling, and
// interpolated between them.
//
//===----------------------------------------------------------------------===//

#include "Access.h"
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
  StringRef sampling;
  bool nearest;
  /// The last ones.
  int64_t axes = 2;

  Value resized(Maker &m, Value x, int64_t axis, int64_t out) const {
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
    Type element = elementOf(x);
    auto gathered = [&](ArrayRef<int32_t> indices) -> Value {
      auto kind = RankedTensorType::get({out}, m.b.getI32Type());
      Value constant = m.make<ConstOp>(DenseElementsAttr::get(kind, indices));
      return m.make<GatherOp>(x, constant, axis);
    };
    Value lower = gathered(low);
    if (onPoints)
      return lower;
    SmallVector<int64_t> along(shapeOf(x).size(), 1);
    along[axis] = out;
    auto kind = RankedTensorType::get(along, element);
    SmallVector<Attribute> values;
    for (double weight : weights)
      values.push_back(m.b.getFloatAttr(element, weight));
    Value weight = m.make<ConstOp>(DenseElementsAttr::get(kind, values));
    return m.add(lower, m.mul(m.sub(gathered(high), lower), weight));
  }
};
} // namespace

static std::optional<Resizer> resizerOf(Operation *op) {
  if (auto upsample = dyn_cast<UpsampleBilinearOp>(op))
    return Resizer{upsample.getAlignCorners()                      ? "STRICT_ALIGN_CORNERS"
                   : upsample.getHalfPixelCenters().value_or(true) ? "UNALIGN_CORNERS"
                                                                   : "DEFAULT",
                   /*nearest=*/false};
  if (auto resize = dyn_cast<ResizeOp>(op))
    return Resizer{resize.getSamplingMode(), resize.getInterpolationMode() == "NEAREST_NEIGHBOR",
                   resize.getResizedDims()};
  if (auto bilinear = dyn_cast<ResizeBilinearOp>(op))
    return Resizer{bilinear.getSamplingMode(), /*nearest=*/false};
  if (isa<ResizeNearestNeighborOp>(op))
    return Resizer{"DEFAULT", /*nearest=*/true};
  return std::nullopt;
}

bool host::rewriteResize(Operation *op) {
  std::optional<Resizer> resizer = resizerOf(op);
  if (!resizer)
    return false;
  Value x = op->getOperand(0);
  if (!isa<FloatType>(elementOf(x)))
    return false; // interpolated integers are rounded
  Maker m(op);
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  Value result = x;
  for (int64_t axis = shape.size() - resizer->axes; axis < int64_t(shape.size()); ++axis)
    result = resizer->resized(m, result, axis, shape[axis]);
  m.replace(result);
  return true;
}
