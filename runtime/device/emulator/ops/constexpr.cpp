//===- constexpr.cpp - Quantised constants --------------------------------===//

#include "runtime/device/emulator/op_registry.h"
#include "runtime/device/emulator/ops/axis_scale.h"
#include "runtime/device/emulator/ops/block_index.h"
#include "runtime/device/emulator/ops/compressed.h"

#include <algorithm>

namespace ane::rt::emulator {

TypeSet quantisedTypes() {
  return setOf(ElementType::Int4) | setOf(ElementType::UInt4) | setOf(ElementType::Int8) | setOf(ElementType::UInt8) |
         kFloat;
}

void shiftScale(KernelContext &context, const Operand &data, const Operand &scale, const Operand &offset, float *out) {
  bool floats = heldAsFloat(data.type.element);
  const float *wide = floats ? context.floats(data) : nullptr;
  const int32_t *ints = floats ? nullptr : context.ints(data);
  const float *scales = context.floats(scale);
  bool floatOffset = offset.present() && heldAsFloat(offset.type.element);
  const float *wideOffset = floatOffset ? context.floats(offset) : nullptr;
  const int32_t *intOffset = offset.present() && !floatOffset ? context.ints(offset) : nullptr;
  BlockIndex index(data.type.shape, scale.type.shape);
  for (int64_t at = 0, size = data.type.size(); at < size;) {
    int64_t block = index.block(), count = index.run();
    float shift = wideOffset ? wideOffset[block] : intOffset ? static_cast<float>(intOffset[block]) : 0.0f;
    for (int64_t i = at; i < at + count; ++i) {
      float value = floats ? wide[i] : static_cast<float>(ints[i]);
      out[i] = scales[block] * (value - shift);
    }
    at += count;
    index.advance(count);
  }
}

void requireBlocks(OpArgs &args, const Shape &data, ElementType element, const Operand &scale, const Operand &offset) {
  args.require(BlockIndex::fits(data, scale.type.shape), "'scale' is ", scale.type.str(),
               "; its shape must divide that of the data, ", shapeString(data));
  if (!offset.present())
    return;
  args.require(offset.type.shape == scale.type.shape, "'offset' is ", offset.type.str(), " and 'scale' is ",
               scale.type.str(), "; both need the same shape");
  args.require(heldAsFloat(offset.type.element) || offset.type.element == element, "'offset' is ", offset.type.str(),
               "; an integer offset must have the element type of the data, ", std::string(milName(element)));
}

namespace {

absl::StatusOr<PreparedOp> prepareAffineDequantize(OpArgs &args) {
  TypeSet bytes = setOf(ElementType::Int8) | setOf(ElementType::UInt8);
  Operand data = args.constant("quantized_data", bytes);
  Operand scale = args.constant("scale", kFloat);
  Operand zero = args.constant("zero_point", bytes | setOf(ElementType::Float32));
  AxisScale along = readAxisScale(args, data, scale, zero, AxisRule::Always);
  if (!args.ok())
    return args.status();
  return oneResult({scale.type.element, data.type.shape}, kernel([=](KernelContext &context) {
                     along.dequantize(context, data, scale, zero, context.outFloats());
                   }));
}

absl::StatusOr<PreparedOp> prepareCast(OpArgs &args) {
  Operand data = args.constant("source_val", setOf(ElementType::Float16));
  ElementType to = args.elementType("output_dtype", setOf(ElementType::Float32));
  if (!args.ok())
    return args.status();
  int64_t count = data.type.size();
  return oneResult({to, data.type.shape}, kernel([=](KernelContext &context) {
                     const float *in = context.floats(data);
                     std::copy(in, in + count, context.outFloats());
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareShiftScale(OpArgs &args) {
  Operand data = args.constant("data", quantisedTypes());
  Operand scale = args.constant("scale", kFloat);
  Operand offset = args.optionalConstant("offset", quantisedTypes());
  if (args.ok())
    requireBlocks(args, data.type.shape, data.type.element, scale, offset);
  if (!args.ok())
    return args.status();
  return oneResult({scale.type.element, data.type.shape}, kernel([=](KernelContext &context) {
                     shiftScale(context, data, scale, offset, context.outFloats());
                   }));
}

/// Bit `i` of packed bytes, least significant first.
uint32_t bitField(const int32_t *bytes, int64_t i, int64_t width) {
  uint32_t value = 0;
  for (int64_t b = 0; b < width; ++b) {
    int64_t at = i * width + b;
    value |= ((static_cast<uint32_t>(bytes[at / 8]) >> (at % 8)) & 1) << b;
  }
  return value;
}

constexpr TypeSet kPalette = setOf(ElementType::Int8) | setOf(ElementType::UInt8) | kFloat;

/// iOS16: flat packed indices, one table.
absl::StatusOr<PreparedOp> preparePackedLut(OpArgs &args) {
  Operand indices = args.constant("indices", setOf(ElementType::UInt8));
  Operand lut = args.constant("lut", kPalette);
  std::vector<int64_t> shape = args.integers("shape");
  if (!args.ok())
    return args.status();
  int64_t width = 0;
  for (int64_t bits : {1, 2, 4, 6, 8})
    if (lut.type.shape == Shape{int64_t(1) << bits})
      width = bits;
  args.require(width != 0, "'lut' is ", lut.type.str(), "; it must be a vector of 2, 4, 16, 64 or 256 elements");
  TensorType type{lut.type.element, shape};
  if (!args.fits(type))
    return args.status();
  int64_t count = type.size();
  args.require(indices.type.shape == Shape{(count * width + 7) / 8}, "'indices' is ", indices.type.str(), "; ", count,
               " indices of ", width, " bits take ", (count * width + 7) / 8, " bytes");
  if (!args.ok())
    return args.status();
  return oneResult(type, kernel([=](KernelContext &context) {
                     const int32_t *packed = context.ints(indices);
                     const uint32_t *table = context.words(lut);
                     uint32_t *out = context.outWords();
                     for (int64_t i = 0; i < count; ++i)
                       out[i] = table[bitField(packed, i, width)];
                   }),
                   /*exact=*/true);
}

absl::StatusOr<PreparedOp> prepareLut(OpArgs &args) {
  if (args.opset() < 18)
    return preparePackedLut(args);
  Operand indices = args.constant("indices", kPaletteIndex);
  Operand lut = args.constant("lut", kPalette);
  if (!args.ok())
    return args.status();
  Palette palette = readPalette(args, indices.type.shape, indices.type.element, lut);
  if (!args.ok())
    return args.status();
  return oneResult({lut.type.element, palette.result}, kernel([=](KernelContext &context) {
                     palette.expand(context.ints(indices), context.words(lut), context.outWords());
                   }),
                   /*exact=*/true);
}

constexpr TypeSet kSparse = kPalette | setOf(ElementType::Int4) | setOf(ElementType::UInt4);

absl::StatusOr<PreparedOp> prepareSparse(OpArgs &args) {
  bool packed = args.opset() < 18;
  Operand data = args.constantList("nonzero_data", packed ? kPalette : kSparse);
  Operand mask = args.constant("mask", packed ? setOf(ElementType::UInt8) : setOf(ElementType::UInt1));
  Shape shape = packed ? args.integers("shape") : mask.type.shape;
  if (!args.ok())
    return args.status();
  TensorType type{data.type.element, shape};
  if (!args.fits(type))
    return args.status();
  int64_t count = type.size();
  if (packed && !args.require(mask.type.shape == Shape{(count + 7) / 8}, "'mask' is ", mask.type.str(), "; ", count,
                              " bits take ", (count + 7) / 8, " bytes"))
    return args.status();
  auto bit = [=](int64_t i) {
    const int32_t *bits = mask.constant->ints();
    return packed ? bitField(bits, i, 1) : static_cast<uint32_t>(bits[i]);
  };
  int64_t set = 0;
  for (int64_t i = 0; i < count; ++i)
    set += bit(i) != 0;
  if (!args.require(data.type.shape == Shape{set}, "'nonzero_data' is ", data.type.str(), ", but the mask has ", set,
                    " bits that are set"))
    return args.status();
  return oneResult(type, kernel([=](KernelContext &context) {
                     const uint32_t *in = context.words(data);
                     uint32_t *out = context.outWords();
                     for (int64_t i = 0; i < count; ++i)
                       out[i] = bit(i) ? *in++ : 0;
                   }),
                   /*exact=*/true);
}

constexpr OpEntry kOps[] = {
    {"constexpr_affine_dequantize", 16, prepareAffineDequantize},
    {"constexpr_cast", 16, prepareCast},
    {"constexpr_blockwise_shift_scale", 18, prepareShiftScale},
    {"constexpr_lut_to_dense", 16, prepareLut},
    {"constexpr_sparse_to_dense", 16, prepareSparse},
};

} // namespace

absl::Span<const OpEntry> constexprOps() { return kOps; }

} // namespace ane::rt::emulator
