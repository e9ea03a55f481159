//===- window.h - Sliding windows of pools and convolutions ---------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_WINDOW_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_WINDOW_H

#include "runtime/device/emulator/op_args.h"

#include <array>

namespace ane::rt::emulator {

/// A window along one spatial axis.
struct WindowAxis {
  int64_t in = 1;
  int64_t out = 1;
  int64_t kernel = 1;
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t padBefore = 0;
  int64_t padAfter = 0;

  int64_t extent() const { return (kernel - 1) * dilation + 1; }
  /// Position in the input of tap `k` of output `o`; may lie in the padding.
  int64_t position(int64_t o, int64_t k) const { return o * stride + k * dilation - padBefore; }
  /// Outputs [first, last) for which tap `k` lies inside the input.
  int64_t firstInside(int64_t k) const;
  int64_t lastInside(int64_t k) const;
};

/// Always three axes, depth, height, width; missing ones are of size 1 in
/// front.
using Window = std::array<WindowAxis, 3>;

struct WindowOptions {
  /// Pools require pad_type, convolutions default to "valid".
  bool padTypeRequired = false;
  bool ceilMode = false;
};

/// Reads strides, dilations (if `dilates`), pad_type and pad, and computes the
/// output sizes. `x` is [N, C, spatial...], `kernel` has one entry per spatial
/// axis. Errors go to `args`.
Window readWindow(OpArgs &args, const Shape &x, const Shape &kernel, bool dilates, const WindowOptions &options);

inline int64_t outputs(const Window &w) { return w[0].out * w[1].out * w[2].out; }
inline int64_t positions(const Window &w) { return w[0].in * w[1].in * w[2].in; }
inline int64_t taps(const Window &w) { return w[0].kernel * w[1].kernel * w[2].kernel; }

/// Visits of elements to bring one tap to all outputs, line by line. Elements
/// that lie apart take twice the time.
int64_t visitsOfTap(const Window &window);

/// Adds bias[c] to the planes of `plane` elements in out, [batch, channels,
/// plane].
void addBias(float *out, const float *bias, int64_t batch, int64_t channels, int64_t plane);

/// [N, channels, spatial outputs...] with the rank of x.
Shape windowResult(const Shape &x, int64_t channels, const Window &window);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_WINDOW_H
