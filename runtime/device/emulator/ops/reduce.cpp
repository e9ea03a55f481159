//===- reduce.cpp - Reductions --------------------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/axis_layout.h"
#include "runtime/device/emulator/ops/math.h"
#include "runtime/support/half.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace ane::rt::emulator {
namespace {

// What a reduction does: a start value, one step, the union of two partial
// results, and the end. Integers are reduced as double, exact up to 2^53.
struct Sum {
  template <typename T>
  static T init() {
    return 0;
  }
  template <typename T>
  static T step(T acc, T v) {
    return acc + v;
  }
  template <typename T>
  static T join(T a, T b) {
    return a + b;
  }
  template <typename T>
  static T finish(T acc, int64_t) {
    return acc;
  }
};
struct Mean : Sum {
  template <typename T>
  static T finish(T acc, int64_t n) {
    return acc / static_cast<T>(n);
  }
};
struct SumSquare : Sum {
  template <typename T>
  static T step(T acc, T v) {
    return acc + v * v;
  }
};
struct L2Norm : SumSquare {
  template <typename T>
  static T finish(T acc, int64_t) {
    return std::sqrt(acc);
  }
};
struct L1Norm : Sum {
  template <typename T>
  static T step(T acc, T v) {
    return acc + std::fabs(v);
  }
};
struct LogSum : Sum {
  template <typename T>
  static T finish(T acc, int64_t) {
    return std::log(acc);
  }
};
struct Prod {
  template <typename T>
  static T init() {
    return 1;
  }
  template <typename T>
  static T step(T acc, T v) {
    return acc * v;
  }
  template <typename T>
  static T join(T a, T b) {
    return a * b;
  }
  template <typename T>
  static T finish(T acc, int64_t) {
    return acc;
  }
};
struct Max {
  template <typename T>
  static T init() {
    return -std::numeric_limits<T>::infinity();
  }
  template <typename T>
  static T step(T acc, T v) {
    return v > acc || v != v ? v : acc;
  }
  template <typename T>
  static T join(T a, T b) {
    return step(a, b);
  }
  template <typename T>
  static T finish(T acc, int64_t) {
    return acc;
  }
};
struct Min {
  template <typename T>
  static T init() {
    return std::numeric_limits<T>::infinity();
  }
  template <typename T>
  static T step(T acc, T v) {
    return v < acc || v != v ? v : acc;
  }
  template <typename T>
  static T join(T a, T b) {
    return step(a, b);
  }
  template <typename T>
  static T finish(T acc, int64_t) {
    return acc;
  }
};

/// A result as an element; integers saturate.
template <typename Out, typename T>
Out converted(T value) {
  if constexpr (std::is_same_v<Out, float>)
    return static_cast<float>(value);
  else
    return saturated<Out>(value);
}

/// A row with independent lanes, so that the loop vectorises.
template <typename K, typename T, typename In>
T reduceRow(const In *x, int64_t count) {
  constexpr int64_t kLanes = 16;
  T lanes[kLanes];
  std::fill(lanes, lanes + kLanes, K::template init<T>());
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    for (int64_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] = K::template step<T>(lanes[lane], static_cast<T>(x[i + lane]));
  for (; i < count; ++i)
    lanes[0] = K::template step<T>(lanes[0], static_cast<T>(x[i]));
  T result = lanes[0];
  for (int64_t lane = 1; lane < kLanes; ++lane)
    result = K::template join<T>(result, lanes[lane]);
  return result;
}

/// x is [outer, reduced, inner]; out is [outer, inner].
template <typename K, typename T, typename In, typename Out>
void reduceBlock(const In *x, int64_t outer, int64_t reduced, int64_t inner, T *accumulators, Out *out) {
  for (int64_t o = 0; o < outer; ++o) {
    const In *block = x + o * reduced * inner;
    if (inner == 1) {
      accumulators[0] = reduceRow<K, T>(block, reduced);
    } else {
      std::fill(accumulators, accumulators + inner, K::template init<T>());
      for (int64_t r = 0; r < reduced; ++r)
        for (int64_t i = 0; i < inner; ++i)
          accumulators[i] = K::template step<T>(accumulators[i], static_cast<T>(block[r * inner + i]));
    }
    for (int64_t i = 0; i < inner; ++i)
      out[o * inner + i] = converted<Out>(K::template finish<T>(accumulators[i], reduced));
  }
}

/// Sum and mean whose every addition is rounded to fp16.
template <typename K>
void reduceNarrow(const float *x, int64_t outer, int64_t reduced, int64_t inner, float *out) {
  for (int64_t o = 0; o < outer; ++o) {
    float *acc = out + o * inner;
    std::fill(acc, acc + inner, 0.0f);
    for (int64_t r = 0; r < reduced; ++r) {
      const float *line = x + (o * reduced + r) * inner;
      for (int64_t i = 0; i < inner; ++i)
        acc[i] += line[i];
      roundToHalf(acc, inner);
    }
    for (int64_t i = 0; i < inner; ++i)
      acc[i] = K::template finish<float>(acc[i], reduced);
  }
}

/// log(sum(exp(x))) with the maximum taken out first.
template <typename In, typename Out>
void logSumExp(const In *x, int64_t outer, int64_t reduced, int64_t inner, Out *out) {
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const In *line = x + o * reduced * inner + i;
      double top = -std::numeric_limits<double>::infinity();
      for (int64_t r = 0; r < reduced; ++r)
        top = std::max(top, static_cast<double>(line[r * inner]));
      double shift = std::isfinite(top) ? top : 0.0;
      double sum = 0.0;
      for (int64_t r = 0; r < reduced; ++r)
        sum += std::exp(static_cast<double>(line[r * inner]) - shift);
      out[o * inner + i] = converted<Out>(std::log(sum) + shift);
    }
}

template <typename K>
absl::StatusOr<PreparedOp> reduce(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  std::vector<int64_t> axes = args.axesOrAll("axes", x.type.rank());
  bool keepDims = args.boolean("keep_dims", false);
  if (!args.ok())
    return args.status();
  AxisLayout layout = AxisLayout::of(x.type.shape, axes, keepDims);
  bool floats = heldAsFloat(x.type.element);
  bool narrowable = std::is_same_v<K, Sum> || std::is_same_v<K, Mean>;
  bool half = x.type.element == ElementType::Float16;
  return oneResult({x.type.element, layout.result}, kernel([=](KernelContext &context) {
                     const uint32_t *in = layout.arranged(context, x);
                     const AxisLayout &l = layout;
                     if (!floats) {
                       auto *scratch = reinterpret_cast<double *>(context.scratchFloats(2 * l.inner));
                       reduceBlock<K, double>(reinterpret_cast<const int32_t *>(in), l.outer, l.reduced, l.inner,
                                              scratch, context.outInts());
                       return;
                     }
                     const float *values = reinterpret_cast<const float *>(in);
                     if (narrowable && half && context.numerics.narrowReductions)
                       reduceNarrow<K>(values, l.outer, l.reduced, l.inner, context.outFloats());
                     else
                       reduceBlock<K, float>(values, l.outer, l.reduced, l.inner, context.scratchFloats(l.inner),
                                             context.outFloats());
                   }))
      .costing(0, layout.scratch() + 2 * layout.inner);
}

absl::StatusOr<PreparedOp> prepareLogSumExp(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  std::vector<int64_t> axes = args.axesOrAll("axes", x.type.rank());
  bool keepDims = args.boolean("keep_dims", false);
  if (!args.ok())
    return args.status();
  AxisLayout layout = AxisLayout::of(x.type.shape, axes, keepDims);
  bool floats = heldAsFloat(x.type.element);
  return oneResult({x.type.element, layout.result}, kernel([=](KernelContext &context) {
                     const uint32_t *in = layout.arranged(context, x);
                     if (floats)
                       logSumExp(reinterpret_cast<const float *>(in), layout.outer, layout.reduced, layout.inner,
                                 context.outFloats());
                     else
                       logSumExp(reinterpret_cast<const int32_t *>(in), layout.outer, layout.reduced, layout.inner,
                                 context.outInts());
                   }))
      .costing(0, layout.scratch());
}

/// Index of the first largest (or smallest) element.
template <typename In, typename Better>
void findBest(const In *x, const AxisLayout &l, int32_t *out, Better better) {
  for (int64_t o = 0; o < l.outer; ++o)
    for (int64_t i = 0; i < l.inner; ++i) {
      const In *line = x + o * l.reduced * l.inner + i;
      int64_t best = 0;
      for (int64_t r = 1; r < l.reduced; ++r)
        if (better(line[r * l.inner], line[best * l.inner]))
          best = r;
      out[o * l.inner + i] = static_cast<int32_t>(best);
    }
}

template <bool Largest>
absl::StatusOr<PreparedOp> reduceArg(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  int64_t axis = args.axis("axis", x.type.rank(), -1);
  bool keepDims = args.boolean("keep_dims", false);
  ElementType element = ElementType::Int32;
  if (args.opset() >= 17)
    element = args.elementType("output_dtype", kInt32 | setOf(ElementType::UInt16), element);
  if (!args.ok())
    return args.status();
  AxisLayout layout = AxisLayout::of(x.type.shape, {axis}, keepDims);
  bool floats = heldAsFloat(x.type.element);
  return oneResult({element, layout.result}, kernel([=](KernelContext &context) {
                     auto better = [](auto a, auto b) { return Largest ? a > b : a < b; };
                     if (floats)
                       findBest(context.floats(x), layout, context.outInts(), better);
                     else
                       findBest(context.ints(x), layout, context.outInts(), better);
                   }));
}

constexpr OpEntry kOps[] = {
    {"reduce_sum", 15, reduce<Sum>},        {"reduce_mean", 15, reduce<Mean>},
    {"reduce_max", 15, reduce<Max>},        {"reduce_min", 15, reduce<Min>},
    {"reduce_prod", 15, reduce<Prod>},      {"reduce_sum_square", 15, reduce<SumSquare>},
    {"reduce_l1_norm", 15, reduce<L1Norm>}, {"reduce_l2_norm", 15, reduce<L2Norm>},
    {"reduce_log_sum", 15, reduce<LogSum>}, {"reduce_log_sum_exp", 15, prepareLogSumExp},
    {"reduce_argmax", 15, reduceArg<true>}, {"reduce_argmin", 15, reduceArg<false>},
};

} // namespace

absl::Span<const OpEntry> reduceOps() { return kOps; }

} // namespace ane::rt::emulator
