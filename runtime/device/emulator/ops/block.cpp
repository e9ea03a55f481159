//===- block.cpp - Blocks between channels, batch and space ---------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/iteration.h"

#include <algorithm>

namespace ane::rt::emulator {
namespace {

/// x seen with more axes, permuted, and seen with `result`'s axes again.
PreparedOp rearrange(const Operand &x, Shape split, const Shape &perm, Shape result) {
  Shape dense = rowMajorStrides(split), extents, strides;
  for (int64_t axis : perm) {
    extents.push_back(split[static_cast<size_t>(axis)]);
    strides.push_back(dense[static_cast<size_t>(axis)]);
  }
  return oneResult({x.type.element, std::move(result)}, kernel([=](KernelContext &context) {
                     gatherStrided(context.words(x), strides, context.outWords(), extents);
                   }),
                   /*exact=*/true);
}

struct BlockArgs {
  Operand x;
  int64_t factor = 1;
  int64_t n = 0, c = 0, h = 0, w = 0;
};

BlockArgs readBlock(OpArgs &args, std::string_view name) {
  BlockArgs block;
  block.x = args.input("x", kFloat);
  block.factor = args.integer(name);
  if (!args.ok())
    return block;
  const Shape &shape = block.x.type.shape;
  args.require(shape.size() == 4, "'x' is ", block.x.type.str(), "; its rank must be 4");
  if (block.factor < 1)
    args.argumentError(name, "is ", block.factor, ", not positive");
  if (!args.ok())
    return block;
  block.n = shape[0];
  block.c = shape[1];
  block.h = shape[2];
  block.w = shape[3];
  return block;
}

void requireChannels(OpArgs &args, const BlockArgs &b) {
  if (args.ok())
    args.require(b.c % (b.factor * b.factor) == 0, b.c, " channels do not divide into blocks of ", b.factor, " x ",
                 b.factor);
}

void requireSpace(OpArgs &args, const BlockArgs &b) {
  if (args.ok())
    args.require(b.h % b.factor == 0 && b.w % b.factor == 0, "height ", b.h, " and width ", b.w, " do not divide by ",
                 b.factor);
}

/// Channel index is (block row, block column, channel).
absl::StatusOr<PreparedOp> prepareDepthToSpace(OpArgs &args) {
  BlockArgs b = readBlock(args, "block_size");
  requireChannels(args, b);
  if (!args.ok())
    return args.status();
  int64_t f = b.factor, c = b.c / (f * f);
  return rearrange(b.x, {b.n, f, f, c, b.h, b.w}, {0, 3, 4, 1, 5, 2}, {b.n, c, b.h * f, b.w * f});
}

absl::StatusOr<PreparedOp> prepareSpaceToDepth(OpArgs &args) {
  BlockArgs b = readBlock(args, "block_size");
  requireSpace(args, b);
  if (!args.ok())
    return args.status();
  int64_t f = b.factor;
  return rearrange(b.x, {b.n, b.c, b.h / f, f, b.w / f, f}, {0, 3, 5, 1, 2, 4}, {b.n, b.c * f * f, b.h / f, b.w / f});
}

/// Channel index is (channel, block row, block column), as in PyTorch.
absl::StatusOr<PreparedOp> preparePixelShuffle(OpArgs &args) {
  BlockArgs b = readBlock(args, "upscale_factor");
  requireChannels(args, b);
  if (!args.ok())
    return args.status();
  int64_t f = b.factor, c = b.c / (f * f);
  return rearrange(b.x, {b.n, c, f, f, b.h, b.w}, {0, 1, 4, 2, 5, 3}, {b.n, c, b.h * f, b.w * f});
}

absl::StatusOr<PreparedOp> preparePixelUnshuffle(OpArgs &args) {
  BlockArgs b = readBlock(args, "downscale_factor");
  requireSpace(args, b);
  if (!args.ok())
    return args.status();
  int64_t f = b.factor;
  return rearrange(b.x, {b.n, b.c, b.h / f, f, b.w / f, f}, {0, 1, 3, 5, 2, 4}, {b.n, b.c * f * f, b.h / f, b.w / f});
}

struct BatchArgs {
  Operand x;
  std::vector<int64_t> block, amounts;
};

BatchArgs readBatch(OpArgs &args, std::string_view amounts) {
  BatchArgs batch;
  batch.x = args.input("x", kFloat);
  batch.block = args.integers("block_shape");
  batch.amounts = args.integers(amounts);
  if (!args.ok())
    return batch;
  args.require(batch.x.type.rank() == 4, "'x' is ", batch.x.type.str(), "; its rank must be 4");
  args.require(batch.block.size() == 2 && batch.amounts.size() == 4,
               "'block_shape' needs 2 elements and the amounts 4");
  for (int64_t size : batch.block)
    args.require(size >= 1, "argument 'block_shape' contains ", size);
  for (int64_t amount : batch.amounts)
    if (amount < 0)
      args.argumentError(amounts, "contains ", amount);
  return batch;
}

/// The new batch index is (block row, block column, batch), as in TensorFlow.
absl::StatusOr<PreparedOp> prepareSpaceToBatch(OpArgs &args) {
  BatchArgs b = readBatch(args, "paddings");
  if (!args.ok())
    return args.status();
  const Shape &s = b.x.type.shape;
  int64_t rows = b.block[0], columns = b.block[1];
  Shape padded = {s[0], s[1], s[2] + b.amounts[0] + b.amounts[1], s[3] + b.amounts[2] + b.amounts[3]};
  args.require(padded[2] % rows == 0 && padded[3] % columns == 0, "the padded size ", padded[2], " x ", padded[3],
               " does not divide into blocks of ", rows, " x ", columns);
  int64_t h = padded[2] / rows, w = padded[3] / columns;
  TensorType type{b.x.type.element, {product({s[0], rows, columns}), s[1], h, w}};
  if (!args.fits(type))
    return args.status();
  Shape split = {s[0], s[1], h, rows, w, columns};
  Shape dense = rowMajorStrides(split), extents, strides;
  for (size_t axis : {3, 5, 0, 1, 2, 4}) {
    extents.push_back(split[axis]);
    strides.push_back(dense[axis]);
  }
  Operand x = b.x;
  int64_t first = b.amounts[0] * padded[3] + b.amounts[2];
  return oneResult(type, kernel([=](KernelContext &context) {
                     auto *whole = reinterpret_cast<uint32_t *>(context.scratchFloats(product(padded)));
                     std::fill(whole, whole + product(padded), 0u);
                     copyStrided(context.words(x), rowMajorStrides(x.type.shape), whole + first,
                                 rowMajorStrides(padded), x.type.shape);
                     gatherStrided(whole, strides, context.outWords(), extents);
                   }),
                   /*exact=*/true)
      .costing(2 * product(padded), product(padded));
}

absl::StatusOr<PreparedOp> prepareBatchToSpace(OpArgs &args) {
  BatchArgs b = readBatch(args, "crops");
  if (!args.ok())
    return args.status();
  const Shape &s = b.x.type.shape;
  int64_t rows = b.block[0], columns = b.block[1];
  args.require(s[0] % (rows * columns) == 0, "batch size ", s[0], " does not divide by the block size ",
               rows * columns);
  int64_t n = s[0] / (rows * columns);
  Shape whole = {n, s[1], s[2] * rows, s[3] * columns};
  Shape result = {n, s[1], whole[2] - b.amounts[0] - b.amounts[1], whole[3] - b.amounts[2] - b.amounts[3]};
  args.require(result[2] > 0 && result[3] > 0, "nothing is left after cropping");
  if (!args.ok())
    return args.status();
  Shape split = {rows, columns, n, s[1], s[2], s[3]};
  Shape dense = rowMajorStrides(split), extents, strides;
  for (size_t axis : {2, 3, 4, 0, 5, 1}) {
    extents.push_back(split[axis]);
    strides.push_back(dense[axis]);
  }
  Operand x = b.x;
  int64_t first = b.amounts[0] * whole[3] + b.amounts[2];
  return oneResult({x.type.element, result}, kernel([=](KernelContext &context) {
                     auto *joined = reinterpret_cast<uint32_t *>(context.scratchFloats(product(whole)));
                     gatherStrided(context.words(x), strides, joined, extents);
                     gatherStrided(joined + first, rowMajorStrides(whole), context.outWords(), result);
                   }),
                   /*exact=*/true)
      .costing(x.type.size(), x.type.size());
}

absl::StatusOr<PreparedOp> prepareSlidingWindows(OpArgs &args) {
  Operand x = args.input("x", kAny);
  int64_t axis = args.axis("axis", x.type.rank());
  int64_t size = args.integer("size");
  int64_t stride = args.integer("stride", 1);
  if (!args.ok())
    return args.status();
  size_t at = static_cast<size_t>(axis);
  args.require(size >= 1 && size <= x.type.shape[at], "argument 'size' is ", size, "; axis ", axis, " of 'x' has ",
               x.type.shape[at], " elements");
  args.require(stride >= 1, "argument 'stride' is ", stride);
  if (!args.ok())
    return args.status();
  TensorType type = x.type;
  Shape strides = rowMajorStrides(x.type.shape);
  type.shape[at] = (x.type.shape[at] - size) / stride + 1;
  type.shape.insert(type.shape.begin() + axis + 1, size);
  strides.insert(strides.begin() + axis, strides[at] * stride);
  return oneResult(type, kernel([=](KernelContext &context) {
                     gatherStrided(context.words(x), strides, context.outWords(), type.shape);
                   }),
                   /*exact=*/true);
}

constexpr OpEntry kOps[] = {
    {"depth_to_space", 15, prepareDepthToSpace},    {"space_to_depth", 15, prepareSpaceToDepth},
    {"pixel_shuffle", 15, preparePixelShuffle},     {"pixel_unshuffle", 16, preparePixelUnshuffle},
    {"space_to_batch", 15, prepareSpaceToBatch},    {"batch_to_space", 15, prepareBatchToSpace},
    {"sliding_windows", 15, prepareSlidingWindows},
};

} // namespace

absl::Span<const OpEntry> blockOps() { return kOps; }

} // namespace ane::rt::emulator
