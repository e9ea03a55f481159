//===- Window.h - sliding windows of convolutions and pools ----*- C++ -*-===//
#ifndef ANE_IR_WINDOW_H
#define ANE_IR_WINDOW_H

#include "ane/IR/Inference.h"

namespace mlir::ane {

/// The windows of a convolution or pool, resolved: one entry per spatial axis in every list.
struct Window {
  SmallVector<int64_t> kernel, strides, dilations;
  /// Elements of padding before and after. After `ceil_mode` the last window may reach beyond `padEnd`.
  SmallVector<int64_t> padBegin, padEnd;
  SmallVector<int64_t> output;
};

/// Elements that a window of `taps` spans which are `dilation` apart.
inline int64_t windowExtent(int64_t taps, int64_t dilation) { return (taps - 1) * dilation + 1; }

/// Padding before and after that is `total` in sum; of an odd one, `lower` has one more before.
struct Padding {
  int64_t before, after;
};
Padding splitPadding(int64_t total, bool lower);

/// The padding with which as many windows lie along an axis of `size` as strides fit into it (pad types same and
/// same_lower).
Padding samePadding(int64_t size, int64_t extent, int64_t stride, bool lower);

/// What an op says about its windows; lists that are not given are ones (strides, dilations) or zeros (pad).
struct WindowSpec {
  std::optional<ArrayRef<int64_t>> strides, dilations;
  /// Before and after, interleaved (MIL), used with pad type `custom` only.
  std::optional<ArrayRef<int64_t>> pad;
  /// valid, custom, same (odd padding after), same_lower (odd padding before).
  StringRef padType;
  bool ceilMode = false;
};

/// Windows of `kernel` over `input` (spatial sizes). Errors name the argument, the axis and the sizes.
FailureOr<Window> resolveWindow(OptionalLoc loc, ArrayRef<int64_t> input, ArrayRef<int64_t> kernel,
                                const WindowSpec &spec);

/// The same for a transposed convolution, where windows lie over the output. `outputShape` (spatial) picks one of the
/// output sizes that the strides allow.
FailureOr<Window> resolveTransposedWindow(OptionalLoc loc, ArrayRef<int64_t> input, ArrayRef<int64_t> kernel,
                                          const WindowSpec &spec, std::optional<ArrayRef<int64_t>> outputShape);

} // namespace mlir::ane

#endif // ANE_IR_WINDOW_H
