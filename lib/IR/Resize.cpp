//===- Resize.cpp - grids of resized images -------------------------------===//

#include "ane/IR/Resize.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::ane;

bool AxisGrid::isOnElements() const {
  return llvm::all_of(weights, [](double weight) { return weight == 0; });
}

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

AxisGrid Resizer::grid(int64_t in, int64_t out) const {
  AxisGrid grid;
  for (int64_t i = 0; i < out; ++i) {
    double point = gridPoint(sampling, double(in), double(out), double(i));
    // The default grid takes the element that covers the point, the others the nearest.
    double shift = nearest && sampling != "DEFAULT" ? 0.5 : 0;
    double clamped = std::clamp(point + shift, 0.0, double(in - 1)), below = std::floor(clamped);
    grid.low.push_back(int32_t(below));
    grid.high.push_back(int32_t(std::min(below + 1, double(in - 1))));
    grid.weights.push_back(nearest ? 0 : clamped - below);
  }
  return grid;
}

std::optional<Resizer> Resizer::of(Operation *op) {
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
