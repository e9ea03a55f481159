//===- blocks.cpp - Element types of GGUF tensors -------------------------===//
//
// In the comments: e is an element of a block, n / m its integer division.
//
//===----------------------------------------------------------------------===//
#include "runtime/format/gguf/blocks.h"
#include "runtime/support/half.h"

#include "absl/strings/str_cat.h"

#include <array>
#include <cstring>

namespace ane::rt::gguf {
namespace {

constexpr BlockInfo kBlocks[] = {
    {BlockType::F32, "F32", 1, 4},       {BlockType::F16, "F16", 1, 2},         {BlockType::BF16, "BF16", 1, 2},
    {BlockType::Q4_0, "Q4_0", 32, 18},   {BlockType::Q4_1, "Q4_1", 32, 20},     {BlockType::Q5_0, "Q5_0", 32, 22},
    {BlockType::Q5_1, "Q5_1", 32, 24},   {BlockType::Q8_0, "Q8_0", 32, 34},     {BlockType::Q2_K, "Q2_K", 256, 84},
    {BlockType::Q3_K, "Q3_K", 256, 110}, {BlockType::Q4_K, "Q4_K", 256, 144},   {BlockType::Q5_K, "Q5_K", 256, 176},
    {BlockType::Q6_K, "Q6_K", 256, 210}, {BlockType::IQ4_NL, "IQ4_NL", 32, 18}, {BlockType::IQ4_XS, "IQ4_XS", 256, 136},
};

/// Of 4-bit indices, finer near 0.
constexpr std::array<int8_t, 16> kNonLinear = {-127, -104, -83, -65, -49, -35, -22, -10,
                                               1,    13,   25,  38,  53,  69,  89,  113};

template <typename T>
T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
float half(const uint8_t *from) { return halfToFloat(load<uint16_t>(from)); }

/// The integers of a block, and what is theirs: element e is scale * integer +
/// offset of run e / length.
struct Runs {
  int8_t *integers;
  float *scales, *offsets;
};

/// 16 bytes: the low nibbles are elements 0 to 15, the high ones 16 to 31. Bit
/// e of `fifth` belongs to element e.
void splitNibbles(const uint8_t *bytes, uint32_t fifth, int bias, int8_t *out) {
  for (int e = 0; e < 32; ++e) {
    int nibble = e < 16 ? bytes[e] & 15 : bytes[e - 16] >> 4;
    out[e] = static_cast<int8_t>((nibble | static_cast<int>(fifth >> e & 1) << 4) - bias);
  }
}

void splitIndices(const uint8_t *bytes, int8_t *out) {
  splitNibbles(bytes, 0, 0, out);
  for (int e = 0; e < 32; ++e)
    out[e] = kNonLinear[out[e]];
}

/// Element e has bits 2 (e / 32 % 4) and up of byte 32 (e / 128) + e % 32.
int twoBits(const uint8_t *bytes, int e) { return bytes[e / 128 * 32 + e % 32] >> (e / 32 % 4 * 2) & 3; }

/// 16 scales (low nibbles) and minima (high) of 16 elements each, 256 times 2
/// bits, the scale of the scales and that of the minima.
void splitQ2K(const uint8_t *block, Runs out) {
  const uint8_t *scales = block, *bits = block + 16;
  float d = half(block + 80), dmin = half(block + 82);
  for (int s = 0; s < 16; ++s) {
    out.scales[s] = d * static_cast<float>(scales[s] & 15);
    out.offsets[s] = -(dmin * static_cast<float>(scales[s] >> 4));
  }
  for (int e = 0; e < 256; ++e)
    out.integers[e] = static_cast<int8_t>(twoBits(bits, e));
}

/// The third bits in 32 bytes, one bit position for 32 elements; 256 times 2
/// bits; 16 scales of 6 bits, their low halves as nibbles and their high ones in
/// the last 4 bytes; the scale of the scales. An unset third bit subtracts 4.
void splitQ3K(const uint8_t *block, Runs out) {
  const uint8_t *third = block, *bits = block + 32, *scales = block + 96;
  float d = half(block + 108);
  for (int s = 0; s < 16; ++s) {
    int low = s < 8 ? scales[s] & 15 : scales[s - 8] >> 4, high = scales[8 + s % 4] >> (s / 4 * 2) & 3;
    out.scales[s] = d * static_cast<float>((low | high << 4) - 32);
  }
  for (int e = 0; e < 256; ++e)
    out.integers[e] = static_cast<int8_t>(twoBits(bits, e) - (third[e % 32] >> (e / 32) & 1 ? 0 : 4));
}

/// Scale and minimum, of 6 bits each, of part `s` of 8: those of parts 0 to 3
/// in bytes of their own, whose upper bits are the upper bits of 4 to 7.
struct ScaleAndMinimum {
  ScaleAndMinimum(const uint8_t *bytes, int s)
      : scale(s < 4 ? bytes[s] & 63 : (bytes[s + 4] & 15) | bytes[s - 4] >> 6 << 4),
        minimum(s < 4 ? bytes[s + 4] & 63 : bytes[s + 4] >> 4 | bytes[s] >> 6 << 4) {}
  int scale, minimum;
};

/// The scale of the scales and that of the minima, scales and minima of 8 parts
/// of 32 elements; perhaps fifth bits, a bit position for each part; nibbles,
/// low ones for even parts and high ones for odd.
void splitParts(const uint8_t *block, bool hasFifth, Runs out) {
  float d = half(block), dmin = half(block + 2);
  const uint8_t *fifth = block + 16, *nibbles = block + (hasFifth ? 48 : 16);
  for (int s = 0; s < 8; ++s) {
    ScaleAndMinimum part(block + 4, s);
    out.scales[s] = d * static_cast<float>(part.scale);
    out.offsets[s] = -(dmin * static_cast<float>(part.minimum));
    for (int i = 0; i < 32; ++i) {
      int value = nibbles[s / 2 * 32 + i] >> (s % 2 * 4) & 15;
      if (hasFifth)
        value |= (fifth[i] >> s & 1) << 4;
      out.integers[s * 32 + i] = static_cast<int8_t>(value);
    }
  }
}

/// Low nibbles in 128 bytes, 64 for each half of the block; upper 2 bits; 16
/// signed scales; the scale of the scales.
void splitQ6K(const uint8_t *block, Runs out) {
  const uint8_t *nibbles = block, *upper = block + 128, *scales = block + 192;
  float d = half(block + 208);
  for (int s = 0; s < 16; ++s)
    out.scales[s] = d * static_cast<float>(static_cast<int8_t>(scales[s]));
  for (int e = 0; e < 256; ++e) {
    int quarter = e / 32 % 4;
    int low = nibbles[e / 128 * 64 + quarter % 2 * 32 + e % 32] >> (quarter / 2 * 4) & 15;
    out.integers[e] = static_cast<int8_t>((low | twoBits(upper, e) << 4) - 32);
  }
}

/// The scale of the scales, 8 scales of 6 bits for 32 indices each.
void splitIQ4XS(const uint8_t *block, Runs out) {
  float d = half(block);
  uint16_t upper = load<uint16_t>(block + 2);
  for (int s = 0; s < 8; ++s) {
    int low = block[4 + s / 2] >> (s % 2 * 4) & 15, high = upper >> (s * 2) & 3;
    out.scales[s] = d * static_cast<float>((low | high << 4) - 32);
    splitIndices(block + 8 + s * 16, out.integers + s * 32);
  }
}

void splitBlock(BlockType type, const uint8_t *block, Runs out) {
  switch (type) {
  case BlockType::F32:
  case BlockType::F16:
  case BlockType::BF16:
    return; // not made of integers
  case BlockType::Q2_K:
    return splitQ2K(block, out);
  case BlockType::Q3_K:
    return splitQ3K(block, out);
  case BlockType::Q4_K:
    return splitParts(block, false, out);
  case BlockType::Q5_K:
    return splitParts(block, true, out);
  case BlockType::Q6_K:
    return splitQ6K(block, out);
  case BlockType::IQ4_XS:
    return splitIQ4XS(block, out);
  default:
    break;
  }
  // A scale for all of the block, and perhaps an offset, come first.
  *out.scales = half(block);
  switch (type) {
  case BlockType::Q4_0:
    return splitNibbles(block + 2, 0, 8, out.integers);
  case BlockType::Q4_1:
    *out.offsets = half(block + 2);
    return splitNibbles(block + 4, 0, 0, out.integers);
  case BlockType::Q5_0:
    return splitNibbles(block + 6, load<uint32_t>(block + 2), 16, out.integers);
  case BlockType::Q5_1:
    *out.offsets = half(block + 2);
    return splitNibbles(block + 8, load<uint32_t>(block + 4), 0, out.integers);
  case BlockType::IQ4_NL:
    return splitIndices(block + 2, out.integers);
  default: // Q8_0
    std::memcpy(out.integers, block + 2, 32);
  }
}

float plainElement(BlockType type, const uint8_t *from) {
  if (type == BlockType::F16)
    return half(from);
  return type == BlockType::BF16 ? bfloat16ToFloat(load<uint16_t>(from)) : load<float>(from);
}

/// Names of all types of the format, by number; empty ones were withdrawn.
constexpr std::string_view kNames[] = {
    "F32",   "F16",    "Q4_0",  "Q4_1", "",     "",        "Q5_0",   "Q5_1",    "Q8_0",  "Q8_1",   "Q2_K",
    "Q3_K",  "Q4_K",   "Q5_K",  "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",
    "IQ2_S", "IQ4_XS", "I8",    "I16",  "I32",  "I64",     "F64",    "IQ1_M",   "BF16",  "",       "",
    "",      "TQ1_0",  "TQ2_0", "",     "",     "",        "MXFP4",  "NVFP4",   "Q1_0"};

} // namespace

std::optional<BlockInfo> blockInfo(uint32_t type) {
  for (const BlockInfo &info : kBlocks)
    if (static_cast<uint32_t>(info.type) == type)
      return info;
  return std::nullopt;
}

std::string typeName(uint32_t type) {
  bool known = type < std::size(kNames) && !kNames[type].empty();
  return known ? std::string(kNames[type]) : absl::StrCat("type ", type);
}

std::optional<RunInfo> runInfo(BlockType type) {
  switch (type) {
  case BlockType::F32:
  case BlockType::F16:
  case BlockType::BF16:
    return std::nullopt;
  case BlockType::Q4_0:
    return RunInfo{32, -8, 7, false, true};
  case BlockType::Q4_1:
    return RunInfo{32, 0, 15, true, true};
  case BlockType::Q5_0:
    return RunInfo{32, -16, 15, false, true};
  case BlockType::Q5_1:
    return RunInfo{32, 0, 31, true, true};
  case BlockType::Q8_0:
    return RunInfo{32, -128, 127, false, true};
  case BlockType::Q2_K:
    return RunInfo{16, 0, 3, true, false};
  case BlockType::Q3_K:
    return RunInfo{16, -4, 3, false, false};
  case BlockType::Q4_K:
    return RunInfo{32, 0, 15, true, false};
  case BlockType::Q5_K:
    return RunInfo{32, 0, 31, true, false};
  case BlockType::Q6_K:
    return RunInfo{16, -32, 31, false, false};
  case BlockType::IQ4_NL:
    return RunInfo{32, -127, 113, false, true};
  case BlockType::IQ4_XS:
    return RunInfo{32, -127, 113, false, false};
  }
  return std::nullopt;
}

void splitBlocks(BlockType type, const uint8_t *blocks, int64_t count, int8_t *integers, float *scales,
                 float *offsets) {
  BlockInfo info = *blockInfo(static_cast<uint32_t>(type));
  int64_t runs = info.elements / runInfo(type)->length;
  for (int64_t i = 0; i < count; ++i)
    splitBlock(type, blocks + i * info.bytes, {integers + i * info.elements, scales + i * runs, offsets + i * runs});
}

void expandBlocks(BlockType type, const uint8_t *blocks, int64_t count, float *elements) {
  BlockInfo info = *blockInfo(static_cast<uint32_t>(type));
  std::optional<RunInfo> run = runInfo(type);
  if (!run) {
    for (int64_t i = 0; i < count; ++i)
      elements[i] = plainElement(type, blocks + i * info.bytes);
    return;
  }
  std::array<int8_t, 256> integers;
  std::array<float, 16> scales, offsets{};
  for (int64_t i = 0; i < count; ++i) {
    splitBlock(type, blocks + i * info.bytes, {integers.data(), scales.data(), offsets.data()});
    for (int64_t e = 0, r = 0; e < info.elements; ++r)
      for (int64_t end = e + run->length; e < end; ++e)
        *elements++ = scales[r] * static_cast<float>(integers[e]) + offsets[r];
  }
}

} // namespace ane::rt::gguf
