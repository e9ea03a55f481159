//===- pad.cpp - Padding, cropping, reversal ------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/iteration.h"

#include <algorithm>
#include <cstring>

namespace ane::rt::emulator {
namespace {

enum class PadMode { Constant, Reflect, Replicate };

/// Index in the operand that position `i` of a padded axis shows.
int64_t sourceIndex(PadMode mode, int64_t i, int64_t size) {
  if (mode == PadMode::Replicate)
    return std::clamp<int64_t>(i, 0, size - 1);
  if (i < 0)
    i = -i;
  return i < size ? i : 2 * (size - 1) - i;
}

/// `pad` holds pairs (before, after) for the last axes.
absl::StatusOr<PreparedOp> preparePad(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  std::vector<int64_t> amounts = args.integers("pad");
  std::string modeName = args.string("mode", "constant");
  float constant = static_cast<float>(args.real("constant_val", 0.0));
  if (!args.ok())
    return args.status();
  PadMode mode = PadMode::Constant;
  if (modeName == "reflect")
    mode = PadMode::Reflect;
  else if (modeName == "replicate")
    mode = PadMode::Replicate;
  else if (modeName != "constant")
    args.argumentError("mode", "is \"", modeName, "\"; it must be constant, reflect or replicate");
  size_t rank = x.type.shape.size();
  size_t padded = amounts.size() / 2;
  args.require(amounts.size() % 2 == 0 && padded <= rank, "argument 'pad' has ", amounts.size(), " elements; 'x' ",
               x.type.str(), " allows an even number up to ", 2 * rank);
  for (int64_t amount : amounts)
    args.require(amount >= 0, "argument 'pad' contains ", amount);
  if (!args.ok())
    return args.status();
  TensorType type = x.type;
  Shape before(rank, 0);
  for (size_t i = 0; i < padded; ++i) {
    size_t axis = rank - padded + i;
    int64_t size = x.type.shape[axis];
    before[axis] = amounts[2 * i];
    type.shape[axis] += amounts[2 * i] + amounts[2 * i + 1];
    int64_t largest = std::max(amounts[2 * i], amounts[2 * i + 1]);
    args.require(mode != PadMode::Reflect || largest < size, "reflection by ", largest, " needs more than ", size,
                 " elements on axis ", axis);
  }
  if (!args.fits(type))
    return args.status();
  Shape dense = rowMajorStrides(type.shape);
  int64_t first = 0;
  for (size_t i = 0; i < rank; ++i)
    first += before[i] * dense[i];
  if (mode == PadMode::Constant)
    return oneResult(type, kernel([=](KernelContext &context) {
                       float *out = context.outFloats();
                       std::fill(out, out + type.size(), constant);
                       copyStrided(context.words(x), rowMajorStrides(x.type.shape), context.outWords() + first, dense,
                                   x.type.shape);
                     }));
  // One table of source offsets per axis; the innermost one is read through.
  std::vector<std::vector<int64_t>> offsets(rank);
  Shape source = rowMajorStrides(x.type.shape);
  for (size_t axis = 0; axis < rank; ++axis)
    for (int64_t i = 0; i < type.shape[axis]; ++i)
      offsets[axis].push_back(sourceIndex(mode, i - before[axis], x.type.shape[axis]) * source[axis]);
  return oneResult(type, kernel([=](KernelContext &context) {
                     const float *in = context.floats(x);
                     float *out = context.outFloats();
                     Shape index(rank, 0);
                     int64_t width = type.shape.back();
                     int64_t rows = type.size() / width;
                     for (int64_t row = 0; row < rows; ++row) {
                       int64_t base = 0;
                       for (size_t axis = 0; axis + 1 < rank; ++axis)
                         base += offsets[axis][static_cast<size_t>(index[axis])];
                       for (int64_t i = 0; i < width; ++i)
                         *out++ = in[base + offsets[rank - 1][static_cast<size_t>(i)]];
                       for (size_t axis = rank - 1; axis-- > 0;) {
                         if (++index[axis] < type.shape[axis])
                           break;
                         index[axis] = 0;
                       }
                     }
                   }),
                   /*exact=*/true);
}

/// Amounts cut from both ends of the height and the width.
absl::StatusOr<PreparedOp> prepareCrop(OpArgs &args) {
  Operand x = args.input("x", kFloat);
  std::vector<int64_t> height = args.integers("crop_height", 2, 0);
  std::vector<int64_t> width = args.integers("crop_width", 2, 0);
  if (!args.ok())
    return args.status();
  size_t rank = x.type.shape.size();
  if (!args.require(rank >= 2, "'x' is ", x.type.str(), "; its rank must be at least 2"))
    return args.status();
  TensorType type = x.type;
  type.shape[rank - 2] -= height[0] + height[1];
  type.shape[rank - 1] -= width[0] + width[1];
  args.require(std::min({height[0], height[1], width[0], width[1]}) >= 0 && type.shape[rank - 2] > 0 &&
                   type.shape[rank - 1] > 0,
               "nothing of 'x' ", x.type.str(), " is left after cropping");
  if (!args.ok())
    return args.status();
  Shape strides = rowMajorStrides(x.type.shape);
  int64_t first = height[0] * strides[rank - 2] + width[0];
  return oneResult(type, kernel([=](KernelContext &context) {
                     gatherStrided(context.words(x) + first, strides, context.outWords(), type.shape);
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareReverse(OpArgs &args) {
  Operand x = args.input("x", kAny);
  std::vector<int64_t> axes = args.axesOrAll("axes", x.type.rank());
  if (!args.ok())
    return args.status();
  Shape strides = rowMajorStrides(x.type.shape);
  int64_t first = 0;
  for (int64_t axis : axes) {
    size_t at = static_cast<size_t>(axis);
    first += (x.type.shape[at] - 1) * strides[at];
    strides[at] = -strides[at];
  }
  return oneResult(x.type, kernel([=](KernelContext &context) {
                     gatherStrided(context.words(x) + first, strides, context.outWords(), x.type.shape);
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareReverseSequence(OpArgs &args) {
  Operand x = args.input("x", kAny);
  Operand lengths = args.input("lengths", kIndex);
  int64_t seqAxis = args.axis("seq_axis", x.type.rank(), 0);
  int64_t batchAxis = args.axis("batch_axis", x.type.rank(), 0);
  if (!args.ok())
    return args.status();
  size_t seq = static_cast<size_t>(seqAxis);
  size_t batch = static_cast<size_t>(batchAxis);
  args.require(seq != batch, "'seq_axis' and 'batch_axis' are both ", seqAxis);
  args.require(lengths.type.shape == Shape{x.type.shape[batch]}, "'lengths' is ", lengths.type.str(),
               "; it needs one element for each of the ", x.type.shape[batch], " entries of the batch axis");
  if (!args.ok())
    return args.status();
  Shape strides = rowMajorStrides(x.type.shape);
  std::string place = args.place();
  return PreparedOp{{x.type},
                    [=](KernelContext &context) -> absl::Status {
                      const uint32_t *in = context.words(x);
                      uint32_t *out = context.outWords();
                      std::memcpy(out, in, static_cast<size_t>(x.type.size()) * 4);
                      const int32_t *count = context.ints(lengths);
                      for (int64_t b = 0; b < x.type.shape[batch]; ++b) {
                        if (count[b] < 0 || count[b] > x.type.shape[seq])
                          return absl::OutOfRangeError(absl::StrCat(place, ": length ", count[b], " is not within the ",
                                                                    x.type.shape[seq], " elements of axis ", seqAxis));
                        if (count[b] == 0)
                          continue;
                        Shape extents = x.type.shape, from = strides;
                        extents[batch] = 1;
                        extents[seq] = count[b];
                        from[seq] = -strides[seq];
                        int64_t base = b * strides[batch];
                        copyStrided(in + base + (count[b] - 1) * strides[seq], from, out + base, strides, extents);
                      }
                      return absl::OkStatus();
                    },
                    {},
                    /*exact=*/true};
}

constexpr OpEntry kOps[] = {
    {"pad", 15, preparePad},
    {"crop", 15, prepareCrop},
    {"reverse", 15, prepareReverse},
    {"reverse_sequence", 15, prepareReverseSequence},
};

} // namespace

absl::Span<const OpEntry> padOps() { return kOps; }

} // namespace ane::rt::emulator
