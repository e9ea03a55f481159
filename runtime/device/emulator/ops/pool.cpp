//===- pool.cpp - Pooling -------------------------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/window.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ane::rt::emulator {
namespace {

enum class Pool { Max, Average, L2 };

struct PoolPlan {
  Pool pool;
  bool excludePadding;
  Window window;
  int64_t planes;

  /// Adds tap after tap, each over all outputs it is inside for, so that the
  /// inner loop runs along the width.
  void plane(const float *in, float *out) const {
    const WindowAxis &d = window[0], &h = window[1], &w = window[2];
    std::fill(out, out + outputs(window), pool == Pool::Max ? -std::numeric_limits<float>::infinity() : 0.0f);
    for (int64_t kd = 0; kd < d.kernel; ++kd)
      for (int64_t kh = 0; kh < h.kernel; ++kh)
        for (int64_t kw = 0; kw < w.kernel; ++kw)
          for (int64_t od = d.firstInside(kd); od < d.lastInside(kd); ++od)
            for (int64_t oh = h.firstInside(kh); oh < h.lastInside(kh); ++oh) {
              int64_t first = w.firstInside(kw), last = w.lastInside(kw);
              const float *row = in + (d.position(od, kd) * h.in + h.position(oh, kh)) * w.in + w.position(first, kw);
              addRow(row, w.stride, out + (od * h.out + oh) * w.out + first, last - first);
            }
    if (pool == Pool::L2)
      for (int64_t i = 0; i < outputs(window); ++i)
        out[i] = std::sqrt(out[i]);
    if (pool == Pool::Average)
      divide(out);
  }

  void addRow(const float *in, int64_t step, float *out, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) {
      float v = in[i * step];
      if (pool == Pool::Max)
        out[i] = v > out[i] || v != v ? v : out[i];
      else
        out[i] += pool == Pool::L2 ? v * v : v;
    }
  }

  /// Elements of window `o` that count. Padding counts unless it is excluded;
  /// what a window of ceil mode has beyond the padding never does.
  int64_t size(const WindowAxis &a, int64_t o) const {
    int64_t begin = a.position(o, 0);
    int64_t end = std::min(begin + a.kernel, a.in + a.padAfter);
    if (excludePadding) {
      begin = std::max<int64_t>(begin, 0);
      end = std::min(end, a.in);
    }
    return std::max<int64_t>(end - begin, 1);
  }

  void divide(float *out) const {
    const WindowAxis &d = window[0], &h = window[1], &w = window[2];
    for (int64_t od = 0; od < d.out; ++od)
      for (int64_t oh = 0; oh < h.out; ++oh)
        for (int64_t ow = 0; ow < w.out; ++ow)
          *out++ /= static_cast<float>(size(d, od) * size(h, oh) * size(w, ow));
  }
};

template <Pool Kind>
absl::StatusOr<PreparedOp> preparePool(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  std::vector<int64_t> kernelSizes = args.integers("kernel_sizes");
  WindowOptions options;
  options.padTypeRequired = true;
  options.ceilMode = args.boolean("ceil_mode", false);
  bool excludePadding = Kind == Pool::Average && args.boolean("exclude_padding_from_average", false);
  if (args.ok())
    args.require(x.type.rank() >= 3 && x.type.rank() <= 5, "'x' is ", x.type.str(), "; its rank must be 3 to 5");
  if (args.ok())
    args.require(kernelSizes.size() + 2 == x.type.shape.size(), "argument 'kernel_sizes' has ", kernelSizes.size(),
                 " elements; 'x' has ", x.type.rank() - 2, " spatial axes");
  if (!args.ok())
    return args.status();
  Window window = readWindow(args, x.type.shape, kernelSizes,
                             /*dilates=*/false, options);
  if (!args.ok())
    return args.status();
  int64_t planes = x.type.shape[0] * x.type.shape[1];
  PoolPlan plan{Kind, excludePadding, window, planes};
  TensorType type{x.type.element, windowResult(x.type.shape, x.type.shape[1], window)};
  if (!args.fits(type))
    return args.status();
  int64_t work = product({planes, window[0].kernel, window[1].kernel, window[2].kernel, visitsOfTap(window)});
  return oneResult(type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     float *out = context.outFloats();
                     for (int64_t p = 0; p < plan.planes; ++p)
                       plan.plane(in + p * positions(plan.window), out + p * outputs(plan.window));
                   }),
                   /*exact=*/Kind == Pool::Max)
      .costing(work);
}

constexpr OpEntry kOps[] = {
    {"max_pool", 15, preparePool<Pool::Max>},
    {"avg_pool", 15, preparePool<Pool::Average>},
    {"l2_pool", 15, preparePool<Pool::L2>},
};

} // namespace

absl::Span<const OpEntry> poolOps() { return kOps; }

} // namespace ane::rt::emulator
