//===- order.cpp - Sorting and running sums -------------------------------===//

#include "runtime/device/emulator/op_registry.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ane::rt::emulator {
namespace {

/// Lines along one axis of a dense tensor.
struct Lines {
  int64_t outer, count, inner;

  Lines(const Shape &shape, int64_t axis) {
    size_t at = static_cast<size_t>(axis);
    outer = product(shape, 0, at);
    count = shape[at];
    inner = product(shape, at + 1, shape.size());
  }

  /// Visits and scratch memory of sorting every line.
  Cost sorting() const {
    int64_t levels = static_cast<int64_t>(std::log2(static_cast<double>(count))) + 1;
    return {product({8, levels, outer, count, inner}), count};
  }
};

/// Order of a line; equal elements keep theirs. NaN counts as largest.
template <typename T>
void sortLine(const T *line, int64_t step, bool ascending, std::vector<int32_t> &order) {
  std::iota(order.begin(), order.end(), 0);
  auto less = [](T a, T b) {
    if constexpr (std::is_same_v<T, float>) {
      if (std::isnan(a) || std::isnan(b))
        return !std::isnan(a) && std::isnan(b);
    }
    return a < b;
  };
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    T left = line[a * step], right = line[b * step];
    bool first = ascending ? less(left, right) : less(right, left);
    bool second = ascending ? less(right, left) : less(left, right);
    return first != second ? first : a < b;
  });
}

template <typename T, typename F>
void eachSortedLine(const T *in, const Lines &lines, bool ascending, F body) {
  std::vector<int32_t> order(static_cast<size_t>(lines.count));
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      const T *line = in + o * lines.count * lines.inner + i;
      sortLine(line, lines.inner, ascending, order);
      body(o, i, line, order);
    }
}

absl::StatusOr<PreparedOp> prepareArgsort(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  int64_t axis = args.axis("axis", x.type.rank(), -1);
  bool ascending = args.boolean("ascending", false);
  if (!args.ok())
    return args.status();
  Lines lines(x.type.shape, axis);
  return oneResult({ElementType::Int32, x.type.shape}, kernel([=](KernelContext &context) {
                     int32_t *out = context.outInts();
                     auto write = [&](int64_t o, int64_t i, const auto *, const std::vector<int32_t> &order) {
                       for (int64_t k = 0; k < lines.count; ++k)
                         out[(o * lines.count + k) * lines.inner + i] = order[static_cast<size_t>(k)];
                     };
                     if (heldAsFloat(x.type.element))
                       eachSortedLine(context.floats(x), lines, ascending, write);
                     else
                       eachSortedLine(context.ints(x), lines, ascending, write);
                   }),
                   /*exact=*/true)
      .costing(lines.sorting().work, lines.sorting().scratch);
}

absl::StatusOr<PreparedOp> prepareTopk(OpArgs &args) {
  Operand x = args.input("x", args.opset() >= 17 ? kAny : kFloatInt);
  int64_t k = args.integer("k", 1);
  int64_t axis = args.axis("axis", x.type.rank(), -1);
  bool ascending = args.boolean("ascending", false);
  bool withIndices = true;
  ElementType indexType = ElementType::Int32;
  if (args.opset() >= 16) {
    // Without `sort` any order is right, so the sorted one is.
    (void)args.boolean("sort", true);
    withIndices = args.boolean("return_indices", true);
  }
  if (args.opset() >= 17)
    indexType = args.elementType("output_indices_dtype", kIndex, indexType);
  if (!args.ok())
    return args.status();
  size_t at = static_cast<size_t>(axis);
  if (!args.require(k >= 1 && k <= x.type.shape[at], "argument 'k' is ", k, "; axis ", axis, " of 'x' has ",
                    x.type.shape[at], " elements"))
    return args.status();
  TensorType type = x.type;
  type.shape[at] = k;
  PreparedOp op;
  op.exact = true;
  op.results = {type};
  if (withIndices)
    op.results.push_back({indexType, type.shape});
  Lines lines(x.type.shape, axis);
  op.cost = lines.sorting();
  op.kernel = kernel([=](KernelContext &context) {
    uint32_t *values = context.outWords(0);
    int32_t *indices = withIndices ? context.outInts(1) : nullptr;
    auto write = [&](int64_t o, int64_t i, const auto *line, const std::vector<int32_t> &order) {
      auto *source = reinterpret_cast<const uint32_t *>(line);
      for (int64_t j = 0; j < k; ++j) {
        int32_t from = order[static_cast<size_t>(j)];
        int64_t to = (o * k + j) * lines.inner + i;
        values[to] = source[from * lines.inner];
        if (indices)
          indices[to] = from;
      }
    };
    if (heldAsFloat(x.type.element))
      eachSortedLine(context.floats(x), lines, ascending, write);
    else
      eachSortedLine(context.ints(x), lines, ascending, write);
  });
  return op;
}

/// Running sums over positions 0, 1, ... or from the end.
template <typename T, typename Sum>
void cumulate(const T *in, const Lines &lines, bool exclusive, bool reverse, T *out) {
  for (int64_t o = 0; o < lines.outer; ++o)
    for (int64_t i = 0; i < lines.inner; ++i) {
      Sum sum = 0;
      for (int64_t k = 0; k < lines.count; ++k) {
        int64_t position = reverse ? lines.count - 1 - k : k;
        int64_t at = (o * lines.count + position) * lines.inner + i;
        Sum value = static_cast<Sum>(in[at]);
        out[at] = static_cast<T>(exclusive ? sum : sum + value);
        sum += value;
      }
    }
}

absl::StatusOr<PreparedOp> prepareCumsum(OpArgs &args) {
  Operand x = args.input("x", kFloatInt);
  int64_t axis = args.axis("axis", x.type.rank(), 0);
  bool exclusive = args.boolean("exclusive", false);
  bool reverse = args.boolean("reverse", false);
  if (!args.ok())
    return args.status();
  Lines lines(x.type.shape, axis);
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     if (heldAsFloat(x.type.element))
                       cumulate<float, float>(context.floats(x), lines, exclusive, reverse, context.outFloats());
                     else
                       cumulate<int32_t, uint32_t>(context.ints(x), lines, exclusive, reverse, context.outInts());
                   }));
}

constexpr OpEntry kOps[] = {
    {"argsort", 15, prepareArgsort},
    {"topk", 15, prepareTopk},
    {"cumsum", 15, prepareCumsum},
};

} // namespace

absl::Span<const OpEntry> orderOps() { return kOps; }

} // namespace ane::rt::emulator
