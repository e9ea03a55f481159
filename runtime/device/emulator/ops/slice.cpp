//===- slice.cpp - Slices and writes into slices --------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/iteration.h"

#include <algorithm>

namespace ane::rt::emulator {
namespace {

/// begin:end:stride with NumPy's rules for negative and masked bounds.
struct SliceAxis {
  int64_t first = 0;
  int64_t count = 0;
  int64_t step = 1;
};

SliceAxis resolve(int64_t size, int64_t begin, int64_t end, int64_t step, bool beginMasked, bool endMasked) {
  SliceAxis axis;
  axis.step = step;
  int64_t low = step > 0 ? 0 : -1;
  int64_t high = step > 0 ? size : size - 1;
  auto bound = [&](int64_t index) { return std::clamp(index < 0 ? index + size : index, low, high); };
  int64_t from = beginMasked ? (step > 0 ? low : high) : bound(begin);
  int64_t to = endMasked ? (step > 0 ? high : low) : bound(end);
  axis.first = from;
  int64_t span = step > 0 ? to - from : from - to;
  int64_t pace = step > 0 ? step : -step;
  axis.count = span > 0 ? (span + pace - 1) / pace : 0;
  return axis;
}

/// Arguments of slice_by_index and slice_update.
struct IndexSlice {
  Operand begin, end;
  std::vector<int64_t> stride;
  std::vector<bool> beginMask, endMask, squeezeMask;
  Shape shape;

  bool isStatic() const { return begin.constant && end.constant; }

  std::vector<SliceAxis> axes(const int32_t *b, const int32_t *e) const {
    std::vector<SliceAxis> result;
    for (size_t i = 0; i < shape.size(); ++i) {
      if (squeezeMask[i]) {
        int64_t index = beginMask[i] ? 0 : b[i];
        int64_t size = shape[i];
        result.push_back({std::clamp<int64_t>(index < 0 ? index + size : index, 0, size - 1), 1, 1});
        continue;
      }
      result.push_back(resolve(shape[i], b[i], e[i], stride[i], beginMask[i], endMask[i]));
    }
    return result;
  }

  Shape resultShape(const std::vector<SliceAxis> &slices) const {
    Shape result;
    for (size_t i = 0; i < slices.size(); ++i)
      if (!squeezeMask[i])
        result.push_back(slices[i].count);
    return result;
  }
};

IndexSlice readIndexSlice(OpArgs &args, const Operand &x) {
  IndexSlice slice;
  size_t rank = x.type.shape.size();
  slice.shape = x.type.shape;
  slice.begin = args.list("begin", kIndex);
  slice.end = args.list("end", kIndex);
  slice.stride = args.integers("stride", rank, 1);
  slice.beginMask = args.booleans("begin_mask", rank);
  slice.endMask = args.booleans("end_mask", rank);
  slice.squeezeMask = args.booleans("squeeze_mask", rank);
  if (!args.ok())
    return slice;
  for (auto [name, operand] : {std::pair("begin", slice.begin), {"end", slice.end}})
    if (operand.type.size() != static_cast<int64_t>(rank))
      args.argumentError(name, "has ", operand.type.size(), " elements; 'x' has rank ", rank);
  for (int64_t step : slice.stride)
    args.require(step != 0, "argument 'stride' contains 0");
  return slice;
}

/// First element and strides of a slice of dense memory.
int64_t sliceView(const Shape &shape, const std::vector<SliceAxis> &slices, Shape &extents, Shape &strides) {
  Shape dense = rowMajorStrides(shape);
  int64_t first = 0;
  for (size_t i = 0; i < shape.size(); ++i) {
    first += slices[i].first * dense[i];
    extents.push_back(slices[i].count);
    strides.push_back(slices[i].step * dense[i]);
  }
  return first;
}

absl::StatusOr<PreparedOp> prepareSliceByIndex(OpArgs &args) {
  Operand x = args.input("x", kAny);
  IndexSlice slice = readIndexSlice(args, x);
  if (!args.ok())
    return args.status();
  TensorType type{x.type.element, {}};
  if (!slice.isStatic()) {
    type.shape = args.declared().front().shape;
    std::string place = args.place();
    return PreparedOp{{type},
                      [=](KernelContext &context) -> absl::Status {
                        std::vector<SliceAxis> axes = slice.axes(context.ints(slice.begin), context.ints(slice.end));
                        Shape shape = slice.resultShape(axes);
                        if (shape != type.shape)
                          return absl::InvalidArgumentError(absl::StrCat(
                              place, ": the bounds give shape ", shapeString(shape), ", declared is ", type.str()));
                        Shape extents, strides;
                        int64_t first = sliceView(slice.shape, axes, extents, strides);
                        gatherStrided(context.words(x) + first, strides, context.outWords(), extents);
                        return absl::OkStatus();
                      },
                      {},
                      /*exact=*/true};
  }
  std::vector<SliceAxis> axes = slice.axes(slice.begin.constant->ints(), slice.end.constant->ints());
  type.shape = slice.resultShape(axes);
  Shape extents, strides;
  int64_t first = sliceView(slice.shape, axes, extents, strides);
  return oneResult(type, kernel([=](KernelContext &context) {
                     gatherStrided(context.words(x) + first, strides, context.outWords(), extents);
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareSliceUpdate(OpArgs &args) {
  Operand x = args.input("x", kAny);
  Operand update = args.input("update", kAny);
  IndexSlice slice = readIndexSlice(args, x);
  if (!args.ok())
    return args.status();
  args.require(update.type.element == x.type.element, "'update' is ", update.type.str(), " and 'x' is ", x.type.str(),
               "; both need the same element type");
  args.require(update.type.rank() > 0, "'update' must not be a scalar");
  if (args.ok() && slice.isStatic()) {
    Shape shape = slice.resultShape(slice.axes(slice.begin.constant->ints(), slice.end.constant->ints()));
    args.require(shape == update.type.shape, "the slice has shape ", shapeString(shape), ", but 'update' is ",
                 update.type.str());
  }
  if (!args.ok())
    return args.status();
  std::string place = args.place();
  return PreparedOp{{x.type},
                    [=](KernelContext &context) -> absl::Status {
                      std::vector<SliceAxis> axes = slice.axes(context.ints(slice.begin), context.ints(slice.end));
                      Shape shape = slice.resultShape(axes);
                      if (shape != update.type.shape)
                        return absl::InvalidArgumentError(absl::StrCat(place, ": the bounds give a slice of shape ",
                                                                       shapeString(shape), ", but 'update' is ",
                                                                       update.type.str()));
                      const uint32_t *in = context.words(x);
                      uint32_t *out = context.outWords();
                      std::copy(in, in + x.type.size(), out);
                      Shape extents, strides;
                      int64_t first = sliceView(slice.shape, axes, extents, strides);
                      copyStrided(context.words(update), rowMajorStrides(extents), out + first, strides, extents);
                      return absl::OkStatus();
                    },
                    {},
                    /*exact=*/true};
}

/// size -1 reaches to the end. Only `begin` may come at run time.
absl::StatusOr<PreparedOp> prepareSliceBySize(OpArgs &args) {
  Operand x = args.input("x", kAny);
  Operand begin = args.list("begin", kIndex);
  std::vector<int64_t> size = args.integers("size");
  if (!args.ok())
    return args.status();
  size_t rank = x.type.shape.size();
  if (!args.require(begin.type.size() == static_cast<int64_t>(rank) && size.size() == rank,
                    "arguments 'begin' and 'size' have ", begin.type.size(), " and ", size.size(),
                    " elements; 'x' has rank ", rank))
    return args.status();
  const Shape &declared = args.declared().front().shape;
  if (!args.require(declared.size() == rank, "the result is ", args.declared().front().str(), "; 'x' has rank ", rank))
    return args.status();
  auto start = [shape = x.type.shape](const int32_t *b, size_t i) {
    return b[i] < 0 ? b[i] + shape[i] : int64_t(b[i]);
  };
  TensorType type{x.type.element, size};
  for (size_t i = 0; i < rank; ++i) {
    if (size[i] == -1) {
      if (!begin.constant) {
        type.shape[i] = declared[i];
        continue;
      }
      type.shape[i] = x.type.shape[i] - start(begin.constant->ints(), i);
    }
    args.require(type.shape[i] >= 0, "argument 'size' contains ", size[i]);
    if (!begin.constant)
      continue;
    int64_t from = start(begin.constant->ints(), i);
    args.require(from >= 0 && from + type.shape[i] <= x.type.shape[i], "the slice from ", from, " of size ",
                 type.shape[i], " leaves axis ", i, " of 'x' ", x.type.str());
  }
  if (!args.ok())
    return args.status();
  Shape strides = rowMajorStrides(x.type.shape);
  std::string place = args.place();
  return PreparedOp{{type},
                    [=](KernelContext &context) -> absl::Status {
                      const int32_t *b = context.ints(begin);
                      int64_t first = 0;
                      for (size_t i = 0; i < strides.size(); ++i) {
                        int64_t from = start(b, i);
                        if (from < 0 || from + type.shape[i] > x.type.shape[i])
                          return absl::OutOfRangeError(absl::StrCat(place, ": the slice from ", from, " of size ",
                                                                    type.shape[i], " leaves axis ", i, " of ",
                                                                    x.type.str()));
                        first += from * strides[i];
                      }
                      gatherStrided(context.words(x) + first, strides, context.outWords(), type.shape);
                      return absl::OkStatus();
                    },
                    {},
                    /*exact=*/true};
}

constexpr OpEntry kOps[] = {
    {"slice_by_index", 15, prepareSliceByIndex},
    {"slice_by_size", 15, prepareSliceBySize},
    {"slice_update", 18, prepareSliceUpdate},
};

} // namespace

absl::Span<const OpEntry> sliceOps() { return kOps; }

} // namespace ane::rt::emulator
