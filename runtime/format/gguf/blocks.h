//===- blocks.h - Element types of GGUF tensors -----------------*- C++ -*-===//
//
// GGML's types are plain elements or blocks: some integers with one or two
// scales. Layouts: ggml-common.h and ggml-quants.c of llama.cpp, GGUF's
// specification (docs/gguf.md of ggml).
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_GGUF_BLOCKS_H
#define ANE_RUNTIME_FORMAT_GGUF_BLOCKS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ane::rt::gguf {

/// The values are those of the file format.
enum class BlockType : uint32_t {
  F32 = 0,
  F16 = 1,
  Q4_0 = 2,
  Q4_1 = 3,
  Q5_0 = 6,
  Q5_1 = 7,
  Q8_0 = 8,
  Q2_K = 10,
  Q3_K = 11,
  Q4_K = 12,
  Q5_K = 13,
  Q6_K = 14,
  IQ4_NL = 20,
  IQ4_XS = 23,
  BF16 = 30,
};

struct BlockInfo {
  BlockType type;
  std::string_view name; ///< "Q4_K"
  int64_t elements;      ///< of a block, neighbours along the innermost axis
  int64_t bytes;         ///< of a block
};

/// Nothing for a type that is not supported; `typeName` has its name then.
std::optional<BlockInfo> blockInfo(uint32_t type);

/// "IQ2_XXS", or "type 99" of one that the format did not have when this was
/// written.
std::string typeName(uint32_t type);

/// What the blocks of a quantised type are made of: runs of neighbouring
/// elements, each scale * integer + offset with the scale and offset of its run.
struct RunInfo {
  int64_t length;        ///< elements of a run; divides those of a block
  int smallest, largest; ///< integers
  bool hasOffset;        ///< else it is 0
  bool isHalf;           ///< scales and offsets are as the file has them, in fp16; else products in fp32
};

/// Nothing for F32, F16 and BF16.
std::optional<RunInfo> runInfo(BlockType type);

/// The parts of `count` blocks of a type that has runs, in order. Offsets are
/// not written where the type has none.
void splitBlocks(BlockType type, const uint8_t *blocks, int64_t count, int8_t *integers, float *scales, float *offsets);

/// The elements of `count` blocks, in order. F32 is copied; each other value is
/// computed in float32, scale times integer before the minimum is subtracted.
void expandBlocks(BlockType type, const uint8_t *blocks, int64_t count, float *elements);

} // namespace ane::rt::gguf

#endif // ANE_RUNTIME_FORMAT_GGUF_BLOCKS_H
