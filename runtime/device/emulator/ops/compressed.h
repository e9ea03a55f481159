//===- compressed.h - Palettes and blockwise scales -----------------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_COMPRESSED_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_COMPRESSED_H

#include "runtime/device/emulator/op_registry.h"

namespace ane::rt::emulator {

/// A table of the iOS18 palette ops: [groups..., 2^bits, vector]. Each block of
/// the indices has its own table; an index becomes `vector` elements along
/// `vectorAxis`.
struct Palette {
  Shape indices, groups, result;
  int64_t entries = 0, vector = 1;
  size_t vectorAxis = 0;

  void expand(const int32_t *index, const uint32_t *table, uint32_t *out) const;
};

/// Checks `lut` against indices of a shape and type, and reads `vector_axis`.
Palette readPalette(OpArgs &args, const Shape &indices, ElementType element, const Operand &lut);

/// Types of quantised data and offsets.
TypeSet quantisedTypes();

/// Errors of constexpr_blockwise_shift_scale's parameters.
void requireBlocks(OpArgs &args, const Shape &data, ElementType element, const Operand &scale, const Operand &offset);

/// scale * (data - offset), one scale and offset per block.
void shiftScale(KernelContext &context, const Operand &data, const Operand &scale, const Operand &offset, float *out);

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_COMPRESSED_H
