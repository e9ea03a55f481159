//===- Resize.h - grids of resized images ----------------------*- C++ -*-===//
#ifndef ANE_IR_RESIZE_H
#define ANE_IR_RESIZE_H

#include "ane/IR/ANE.h"

namespace mlir::ane {

/// Where the points of a resized axis lie on its elements: point i is `low[i]` and `high[i]`, with weights 1 -
/// `weights[i]` and `weights[i]`.
struct AxisGrid {
  std::vector<int32_t> low, high;
  std::vector<double> weights;

  /// Whether each point is the one element `low[i]`.
  bool isOnElements() const;
};

/// How an op spreads points over the last `axes` axes of an image.
struct Resizer {
  /// `sampling_mode` of ane.resize_bilinear.
  StringRef sampling;
  bool nearest;
  int64_t axes = 2;

  /// The one of a resizing op; nothing for other ops.
  static std::optional<Resizer> of(Operation *op);

  /// `out` points on an axis of `in` elements.
  AxisGrid grid(int64_t in, int64_t out) const;
};

} // namespace mlir::ane

#endif // ANE_IR_RESIZE_H
