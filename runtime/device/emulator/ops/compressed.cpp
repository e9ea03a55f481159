//===- compressed.cpp - Palettes and sparse constants ---------------------===//

#include "runtime/device/emulator/ops/compressed.h"

#include "runtime/device/emulator/ops/block_index.h"

#include <algorithm>

namespace ane::rt::emulator {

void Palette::expand(const int32_t *index, const uint32_t *table, uint32_t *out) const {
  // The result is [before, size of the axis, vector, behind] with the vector
  // between an index of its axis and the axes behind it.
  int64_t behind = product(indices, vectorAxis + 1, indices.size());
  BlockIndex blocks(indices, groups);
  int64_t count = product(indices);
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t *entry = table + (blocks.block() * entries + index[i]) * vector;
    int64_t to = i / behind * vector * behind + i % behind;
    for (int64_t v = 0; v < vector; ++v)
      out[to + v * behind] = entry[v];
    blocks.advance(1);
  }
}

Palette readPalette(OpArgs &args, const Shape &indices, ElementType element, const Operand &lut) {
  Palette palette;
  palette.indices = indices;
  palette.result = indices;
  const Shape &shape = lut.type.shape;
  if (!args.require(shape.size() == indices.size() + 2, "'lut' is ", lut.type.str(),
                    "; its rank must be that of the indices, ", indices.size(), ", plus 2"))
    return palette;
  palette.groups.assign(shape.begin(), shape.end() - 2);
  palette.entries = shape[shape.size() - 2];
  palette.vector = shape.back();
  args.require(BlockIndex::fits(indices, palette.groups), "the groups of 'lut' ", lut.type.str(),
               " do not divide the indices' shape ", shapeString(indices));
  args.require(palette.entries == int64_t(1) << bitWidth(element), "'lut' ", lut.type.str(), " has ", palette.entries,
               " entries; indices of type ", std::string(milName(element)), " need ", int64_t(1) << bitWidth(element));
  args.require(palette.vector >= 1, "'lut' ", lut.type.str(), " is empty");
  if (args.has("vector_axis")) {
    palette.vectorAxis = static_cast<size_t>(args.axis("vector_axis", static_cast<int64_t>(indices.size())));
  } else {
    args.require(palette.vector == 1, "argument 'vector_axis' is missing; 'lut' ", lut.type.str(), " holds vectors of ",
                 palette.vector);
  }
  if (args.ok() && !indices.empty())
    palette.result[palette.vectorAxis] *= palette.vector;
  return palette;
}

namespace {

constexpr TypeSet kPalette = setOf(ElementType::Int8) | setOf(ElementType::UInt8) | kFloat;

/// Elements of a vector at the places where the mask is set.
void scatterByMask(const int32_t *mask, const uint32_t *values, int64_t count, uint32_t *out) {
  for (int64_t i = 0; i < count; ++i)
    out[i] = mask[i] ? *values++ : 0;
}

void gatherByMask(const int32_t *mask, const uint32_t *values, int64_t count, uint32_t *out) {
  for (int64_t i = 0; i < count; ++i)
    if (mask[i])
      *out++ = values[i];
}

bool requireMask(OpArgs &args, const Operand &mask, std::string_view name, const Operand &data) {
  const int32_t *bits = mask.constant->ints();
  int64_t set = std::count_if(bits, bits + mask.type.size(), [](int32_t bit) { return bit != 0; });
  if (data.type.shape != Shape{set})
    args.argumentError(name, "is ", data.type.str(), ", but the mask has ", set, " bits that are set");
  return args.ok();
}

/// The table's values at the places where the mask is set, and the mask that
/// belongs to them.
absl::StatusOr<PreparedOp> prepareLutToSparse(OpArgs &args) {
  Operand mask = args.constant("indices_mask", setOf(ElementType::UInt1));
  Operand data = args.constantList("indices_nonzero_data", kPaletteIndex);
  Operand lut = args.constant("lut", kPalette);
  if (!args.ok() || !requireMask(args, mask, "indices_nonzero_data", data))
    return args.status();
  Palette palette = readPalette(args, mask.type.shape, data.type.element, lut);
  if (!args.ok())
    return args.status();
  PreparedOp op;
  op.exact = true;
  op.results = {{ElementType::UInt1, palette.result}, {lut.type.element, {data.type.size() * palette.vector}}};
  int64_t count = mask.type.size();
  int64_t expanded = count * palette.vector;
  op.cost.scratch = count + expanded;
  op.kernel = kernel([=](KernelContext &context) {
    const int32_t *bits = context.ints(mask);
    int32_t *dense = context.scratchInts(count);
    scatterByMask(bits, context.words(data), count, reinterpret_cast<uint32_t *>(dense));
    auto *values = reinterpret_cast<uint32_t *>(context.scratchInts(expanded));
    palette.expand(dense, context.words(lut), values);
    // The mask repeats along the vector as a table of its two values would.
    Palette repeat = palette;
    repeat.groups.assign(repeat.indices.size(), 1);
    repeat.entries = 2;
    std::vector<uint32_t> table(static_cast<size_t>(2 * palette.vector), 0);
    std::fill(table.begin() + palette.vector, table.end(), 1u);
    repeat.expand(bits, table.data(), context.outWords(0));
    gatherByMask(context.outInts(0), values, expanded, context.outWords(1));
  });
  return op;
}

absl::StatusOr<PreparedOp> prepareSparseShiftScale(OpArgs &args) {
  Operand mask = args.constant("data_mask", setOf(ElementType::UInt1));
  Operand data = args.constantList("nonzero_data", quantisedTypes());
  Operand scale = args.constant("scale", kFloat);
  Operand offset = args.optionalConstant("offset", quantisedTypes());
  if (!args.ok() || !requireMask(args, mask, "nonzero_data", data))
    return args.status();
  requireBlocks(args, mask.type.shape, data.type.element, scale, offset);
  if (!args.ok())
    return args.status();
  PreparedOp op;
  op.results = {mask.type, {scale.type.element, data.type.shape}};
  int64_t count = mask.type.size();
  op.kernel = kernel([=](KernelContext &context) {
    const int32_t *bits = context.ints(mask);
    const uint32_t *values = context.words(data);
    bool floats = heldAsFloat(data.type.element);
    bool floatOffset = offset.present() && heldAsFloat(offset.type.element);
    BlockIndex index(mask.type.shape, scale.type.shape);
    float *out = context.outFloats(1);
    for (int64_t i = 0; i < count; ++i, index.advance(1)) {
      if (!bits[i])
        continue;
      int64_t block = index.block();
      float value =
          floats ? *reinterpret_cast<const float *>(values) : static_cast<float>(static_cast<int32_t>(*values));
      ++values;
      float shift = !offset.present() ? 0.0f
                    : floatOffset     ? context.floats(offset)[block]
                                      : static_cast<float>(context.ints(offset)[block]);
      *out++ = context.floats(scale)[block] * (value - shift);
    }
    std::copy(bits, bits + count, context.outInts(0));
  });
  return op;
}

constexpr OpEntry kOps[] = {
    {"constexpr_lut_to_sparse", 18, prepareLutToSparse},
    {"constexpr_sparse_blockwise_shift_scale", 18, prepareSparseShiftScale},
};

} // namespace

absl::Span<const OpEntry> compressedOps() { return kOps; }

} // namespace ane::rt::emulator
