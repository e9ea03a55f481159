//===- Window.h - windows of convolutions and poolings ---------*- C++ -*-===//
#ifndef ANE_LIB_IMPORT_ONNX_OPS_WINDOW_H
#define ANE_LIB_IMPORT_ONNX_OPS_WINDOW_H

#include "../NodeBinder.h"

namespace mlir::ane::onnx_import {

/// A window over the spatial axes of [N, C, D...], one entry per spatial axis.
struct NodeWindow {
  SmallVector<int64_t> input, kernel, strides, dilations, padBegin, padEnd;

  /// The window's extent along spatial axis `i`.
  int64_t extent(size_t i) const { return windowExtent(kernel[i], dilations[i]); }
  /// How many windows lie along spatial axis `i`.
  int64_t count(size_t i) const { return (input[i] + padBegin[i] + padEnd[i] - extent(i)) / strides[i] + 1; }
  /// Begin and end of each axis in turn, as MIL wants them.
  SmallVector<int64_t> interleavedPads() const;
  void setPadding(size_t i, Padding padding) {
    padBegin[i] = padding.before;
    padEnd[i] = padding.after;
  }
  /// The padding of SAME_UPPER or SAME_LOWER along spatial axis `i`.
  void padSame(size_t i, StringRef autoPad) {
    setPadding(i, samePadding(input[i], extent(i), strides[i], autoPad == "SAME_LOWER"));
  }
  /// "valid" without padding, else "custom".
  StringRef padType() const;
};

/// Reads kernel_shape, strides, dilations, pads and auto_pad for an op on `x`. `kernel`: the kernel that the weight
/// implies, if there is one. `autoPad` gets SAME_UPPER, SAME_LOWER or NOTSET; the caller resolves the former. Records
/// an error and returns nothing if an attribute does not fit.
std::optional<NodeWindow> readWindow(NodeBinder &n, Value x, std::optional<ArrayRef<int64_t>> kernel, bool hasDilations,
                                     std::string &autoPad);

/// The same for a convolution with `weight`, with SAME resolved unless `autoPad` is given to take it.
std::optional<NodeWindow> readConvWindow(NodeBinder &n, Value x, Value weight, std::string *autoPad = nullptr);

/// The windows of x [N, C, D...] as [N, C, windows..., taps...], for ops and attributes that no ane op has. `padding`
/// is what the taps outside of x hold.
Value gatherWindows(NodeBinder &n, Value x, const NodeWindow &window, double padding);

} // namespace mlir::ane::onnx_import

#endif // ANE_LIB_IMPORT_ONNX_OPS_WINDOW_H
