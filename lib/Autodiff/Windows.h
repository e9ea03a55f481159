//===- Windows.h - gradients of what slides over its input -----*- C++ -*-===//
#ifndef ANE_LIB_AUTODIFF_WINDOWS_H
#define ANE_LIB_AUTODIFF_WINDOWS_H

#include "ane/Autodiff/Autodiff.h"
#include "ane/IR/Window.h"

namespace mlir::ane {

/// Adds each element of `g` [N, Cout, D'...] times a slice of `weight` [Cout, Cin / groups, K...] to the window that it
/// comes from: what a convolution with these windows does, transposed. The result has `shape`, [N, Cin, D...].
Value spreadWindows(GradientBuilder &b, Value g, Value weight, const Window &window, int64_t groups,
                    ArrayRef<int64_t> shape);

/// The gradient of `weight` in y = conv(x, weight) with these windows, where `g` is that of y.
Value gradientOfWeight(GradientBuilder &b, Value x, Value g, const Window &window, int64_t groups,
                       ArrayRef<int64_t> shape);

} // namespace mlir::ane

#endif // ANE_LIB_AUTODIFF_WINDOWS_H
