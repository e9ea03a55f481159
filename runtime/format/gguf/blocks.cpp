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

/// 16 bytes: the low nibbles are elements 0 to 15, the high ones 16 to 31.
template <typename Value>
void eachNibble(const uint8_t *bytes, float *out, Value &&value) {
  for (int i = 0; i < 16; ++i) {
    out[i] = value(bytes[i] & 15, i);
    out[i + 16] = value(bytes[i] >> 4, i + 16);
  }
}

/// Elements that are scale * integer + offset, the integers of 4 or 5 bits; bit
/// e of `fifth` belongs to element e.
void expandNibbles(const uint8_t *bytes, uint32_t fifth, int bias, float scale, float offset, float *out) {
  eachNibble(bytes, out, [&](int nibble, int e) {
    return scale * static_cast<float>((nibble | static_cast<int>(fifth >> e & 1) << 4) - bias) + offset;
  });
}

void expandQ8(const uint8_t *block, float *out) {
  float scale = half(block);
  for (int i = 0; i < 32; ++i)
    out[i] = scale * static_cast<float>(static_cast<int8_t>(block[2 + i]));
}

void expandIndices(const uint8_t *bytes, float scale, float *out) {
  eachNibble(bytes, out, [&](int index, int) { return scale * static_cast<float>(kNonLinear[index]); });
}

/// Element e has bits 2 (e / 32 % 4) and up of byte 32 (e / 128) + e % 32.
int twoBits(const uint8_t *bytes, int e) { return bytes[e / 128 * 32 + e % 32] >> (e / 32 % 4 * 2) & 3; }

/// 16 scales (low nibbles) and minima (high) of 16 elements each, 256 times 2
/// bits, the scale of the scales and that of the minima.
void expandQ2K(const uint8_t *block, float *out) {
  const uint8_t *scales = block, *bits = block + 16;
  float d = half(block + 80), dmin = half(block + 82);
  for (int e = 0; e < 256; ++e) {
    float scale = d * static_cast<float>(scales[e / 16] & 15), minimum = dmin * static_cast<float>(scales[e / 16] >> 4);
    out[e] = scale * static_cast<float>(twoBits(bits, e)) - minimum;
  }
}

/// The third bits in 32 bytes, one bit position for 32 elements; 256 times 2
/// bits; 16 scales of 6 bits, their low halves as nibbles and their high ones in
/// the last 4 bytes; the scale of the scales. An unset third bit subtracts 4.
void expandQ3K(const uint8_t *block, float *out) {
  const uint8_t *third = block, *bits = block + 32, *scales = block + 96;
  float d = half(block + 108);
  for (int e = 0; e < 256; ++e) {
    int s = e / 16;
    int low = s < 8 ? scales[s] & 15 : scales[s - 8] >> 4, high = scales[8 + s % 4] >> (s / 4 * 2) & 3;
    float scale = d * static_cast<float>((low | high << 4) - 32);
    out[e] = scale * static_cast<float>(twoBits(bits, e) - (third[e % 32] >> (e / 32) & 1 ? 0 : 4));
  }
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
void expandParts(const uint8_t *block, bool hasFifth, float *out) {
  float d = half(block), dmin = half(block + 2);
  const uint8_t *fifth = block + 16, *nibbles = block + (hasFifth ? 48 : 16);
  for (int s = 0; s < 8; ++s) {
    ScaleAndMinimum part(block + 4, s);
    float scale = d * static_cast<float>(part.scale), minimum = dmin * static_cast<float>(part.minimum);
    for (int i = 0; i < 32; ++i) {
      int value = nibbles[s / 2 * 32 + i] >> (s % 2 * 4) & 15;
      if (hasFifth)
        value |= (fifth[i] >> s & 1) << 4;
      out[s * 32 + i] = scale * static_cast<float>(value) - minimum;
    }
  }
}

/// Low nibbles in 128 bytes, 64 for each half of the block; upper 2 bits; 16
/// signed scales; the scale of the scales.
void expandQ6K(const uint8_t *block, float *out) {
  const uint8_t *nibbles = block, *upper = block + 128, *scales = block + 192;
  float d = half(block + 208);
  for (int e = 0; e < 256; ++e) {
    int quarter = e / 32 % 4;
    int low = nibbles[e / 128 * 64 + quarter % 2 * 32 + e % 32] >> (quarter / 2 * 4) & 15;
    float scale = d * static_cast<float>(static_cast<int8_t>(scales[e / 16]));
    out[e] = scale * static_cast<float>((low | twoBits(upper, e) << 4) - 32);
  }
}

/// The scale of the scales, 8 scales of 6 bits for 32 indices each.
void expandIQ4XS(const uint8_t *block, float *out) {
  float d = half(block);
  uint16_t upper = load<uint16_t>(block + 2);
  for (int s = 0; s < 8; ++s) {
    int low = block[4 + s / 2] >> (s % 2 * 4) & 15, high = upper >> (s * 2) & 3;
    expandIndices(block + 8 + s * 16, d * static_cast<float>((low | high << 4) - 32), out + s * 32);
  }
}

void expandBlock(BlockType type, const uint8_t *block, float *out) {
  switch (type) {
  case BlockType::F32:
    *out = load<float>(block);
    return;
  case BlockType::F16:
    *out = half(block);
    return;
  case BlockType::BF16: {
    uint32_t bits = static_cast<uint32_t>(load<uint16_t>(block)) << 16;
    std::memcpy(out, &bits, sizeof bits);
    return;
  }
  case BlockType::Q4_0:
    return expandNibbles(block + 2, 0, 8, half(block), 0, out);
  case BlockType::Q4_1:
    return expandNibbles(block + 4, 0, 0, half(block), half(block + 2), out);
  case BlockType::Q5_0:
    return expandNibbles(block + 6, load<uint32_t>(block + 2), 16, half(block), 0, out);
  case BlockType::Q5_1:
    return expandNibbles(block + 8, load<uint32_t>(block + 4), 0, half(block), half(block + 2), out);
  case BlockType::Q8_0:
    return expandQ8(block, out);
  case BlockType::Q2_K:
    return expandQ2K(block, out);
  case BlockType::Q3_K:
    return expandQ3K(block, out);
  case BlockType::Q4_K:
    return expandParts(block, false, out);
  case BlockType::Q5_K:
    return expandParts(block, true, out);
  case BlockType::Q6_K:
    return expandQ6K(block, out);
  case BlockType::IQ4_NL:
    return expandIndices(block + 2, half(block), out);
  case BlockType::IQ4_XS:
    return expandIQ4XS(block, out);
  }
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

void expandBlocks(BlockType type, const uint8_t *blocks, int64_t count, float *elements) {
  BlockInfo info = *blockInfo(static_cast<uint32_t>(type));
  for (int64_t i = 0; i < count; ++i)
    expandBlock(type, blocks + i * info.bytes, elements + i * info.elements);
}

} // namespace ane::rt::gguf
