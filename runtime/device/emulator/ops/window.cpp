//===- window.cpp - Sliding windows of pools and convolutions -------------===//

#include "runtime/device/emulator/ops/window.h"

#include "runtime/device/emulator/limits.h"

#include <algorithm>

namespace ane::rt::emulator {
namespace {

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// PyTorch's rule for a last window that starts in the trailing padding: it is
/// dropped (coreml-mlprogram.md 3, pooling).
int64_t ceilModeOutputs(const WindowAxis &a) {
  int64_t padded = a.in + a.padBefore + a.padAfter;
  int64_t out = (padded - a.extent() + a.stride - 1) / a.stride + 1;
  if ((a.padBefore > 0 || a.padAfter > 0) && (out - 1) * a.stride >= a.in + a.padBefore)
    --out;
  return out;
}

} // namespace

int64_t WindowAxis::firstInside(int64_t k) const {
  int64_t needed = padBefore - k * dilation;
  return needed <= 0 ? 0 : std::min(out, ceilDiv(needed, stride));
}

int64_t WindowAxis::lastInside(int64_t k) const {
  int64_t room = in - 1 + padBefore - k * dilation;
  return room < 0 ? 0 : std::min(out, room / stride + 1);
}

Window readWindow(OpArgs &args, const Shape &x, const Shape &kernel, bool dilates, const WindowOptions &options) {
  size_t spatial = kernel.size();
  std::vector<int64_t> strides = args.integers("strides", spatial, 1);
  std::vector<int64_t> dilations(spatial, 1);
  if (dilates)
    dilations = args.integers("dilations", spatial, 1);
  std::string padType = options.padTypeRequired ? args.string("pad_type") : args.string("pad_type", "valid");
  std::vector<int64_t> pad = args.integers("pad", 2 * spatial, 0);
  Window window;
  if (!args.ok())
    return window;
  bool same = padType == "same" || padType == "same_lower";
  if (!same && padType != "valid" && padType != "custom") {
    args.argumentError("pad_type", "is \"", padType, "\"; it must be valid, custom, same or same_lower");
    return window;
  }
  if (padType == "same_lower" && args.opset() < 16)
    args.argumentError("pad_type", "same_lower needs ios16");
  if (same && options.ceilMode)
    args.error("'ceil_mode' is not possible with pad_type \"", padType, "\"");
  for (size_t i = 0; i < spatial; ++i) {
    WindowAxis &axis = window[3 - spatial + i];
    axis.in = x[2 + i];
    axis.kernel = kernel[i];
    axis.stride = strides[i];
    axis.dilation = dilations[i];
    args.require(axis.kernel > 0, "the kernel is ", axis.kernel, " on spatial axis ", i, ", not positive");
    args.require(axis.stride > 0, "the stride is ", axis.stride, " on spatial axis ", i, ", not positive");
    args.require(axis.dilation > 0, "the dilation is ", axis.dilation, " on spatial axis ", i, ", not positive");
    if (!args.ok())
      return window;
    if (same) {
      axis.out = ceilDiv(axis.in, axis.stride);
      int64_t total = std::max<int64_t>(0, (axis.out - 1) * axis.stride + axis.extent() - axis.in);
      int64_t less = total / 2;
      axis.padBefore = padType == "same" ? less : total - less;
      axis.padAfter = total - axis.padBefore;
      continue;
    }
    if (padType == "custom") {
      axis.padBefore = pad[2 * i];
      axis.padAfter = pad[2 * i + 1];
      args.require(axis.padBefore >= 0 && axis.padAfter >= 0, "the padding (", axis.padBefore, ", ", axis.padAfter,
                   ") on spatial axis ", i, " is negative");
    }
    int64_t padded = axis.in + axis.padBefore + axis.padAfter;
    if (!args.require(padded >= axis.extent(), "the window spans ", axis.extent(), " elements of spatial axis ", i,
                      ", which has ", padded, " with padding"))
      return window;
    if (options.ceilMode) {
      args.require(axis.padBefore == axis.padAfter, "'ceil_mode' needs the ",
                   "same padding before and after spatial axis ", i);
      args.require(spatial <= 2, "'ceil_mode' needs 1 or 2 spatial axes");
      axis.out = ceilModeOutputs(axis);
    } else {
      axis.out = (padded - axis.extent()) / axis.stride + 1;
    }
  }
  return window;
}

Shape windowResult(const Shape &x, int64_t channels, const Window &window) {
  Shape result = {x[0], channels};
  size_t spatial = x.size() - 2;
  for (size_t i = 0; i < spatial; ++i)
    result.push_back(window[3 - spatial + i].out);
  return result;
}

int64_t visitsOfTap(const Window &window) {
  const WindowAxis &w = window[2];
  int64_t line = saturatingSum(kVisitsPerLine, product({w.out, w.stride > 1 ? 2 : 1}));
  return product({window[0].out, window[1].out, line});
}

void addBias(float *out, const float *bias, int64_t batch, int64_t channels, int64_t plane) {
  for (int64_t p = 0; p < batch * channels; ++p)
    for (int64_t i = p * plane; i < (p + 1) * plane; ++i)
      out[i] += bias[p % channels];
}

} // namespace ane::rt::emulator
