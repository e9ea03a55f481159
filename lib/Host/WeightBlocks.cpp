//===- WeightBlocks.cpp - weights in blocks of integers -------------------===//

#include "WeightBlocks.h"
#include "runtime/format/gguf/blocks.h"
#include "runtime/support/half.h"
#include <cstring>

using namespace mlir;
using namespace mlir::ane;
using namespace mlir::ane::host;
namespace gguf = ::ane::rt::gguf;

static gguf::BlockType fileTypeOf(BlockType format) { return static_cast<gguf::BlockType>(format); }
static gguf::BlockInfo infoOf(BlockType format) { return *gguf::blockInfo(static_cast<uint32_t>(format)); }

ConstexprBlocksOp host::blocksOf(Value root) {
  auto blob = root.getDefiningOp<BlobOp>();
  if (!blob)
    return nullptr;
  return blob.getBody().front().getTerminator()->getOperand(0).getDefiningOp<ConstexprBlocksOp>();
}

std::optional<WeightBlocks> WeightBlocks::of(const Access &view) {
  ConstexprBlocksOp op = blocksOf(view.root);
  // Elements that are rounded to fp16 once more are none of the blocks'.
  if (!op || !op.getType().getElementType().isF32())
    return std::nullopt;
  std::optional<gguf::RunInfo> run = gguf::runInfo(fileTypeOf(op.getFormat()));
  int64_t block = infoOf(op.getFormat()).elements;
  if (!run || view.shape.size() != 3 || view.shape[0] != 1 || view.strides[1] != 1 || view.strides[2] % block != 0 ||
      view.base % block != 0 || view.shape[1] % block != 0)
    return std::nullopt;
  bool isShort = run->largest - run->smallest < 16;
  return WeightBlocks{op.getFormat(), run->length, isShort ? 4 : 8, isShort ? -run->smallest : 0,
                      run->hasOffset, run->isHalf};
}

Access WeightBlocks::columnsOf(Value table) {
  int64_t n = shapeOf(table)[0], k = shapeOf(table)[1];
  return {table, {0, {1, k, n}, {0, 1, k}}};
}

namespace {
/// The parts of one column.
struct Column {
  std::vector<int8_t> integers;
  std::vector<float> scales, offsets;
};
} // namespace

static void writeScales(char *to, bool half, ArrayRef<Column> columns, std::vector<float> Column::*part, int64_t run) {
  for (const Column &column : columns) {
    float value = (column.*part)[run];
    if (half) {
      uint16_t bits = ::ane::rt::floatToHalf(value);
      std::memcpy(to, &bits, sizeof(bits));
    } else {
      std::memcpy(to, &value, sizeof(value));
    }
    to += half ? 2 : 4;
  }
}

void WeightBlocks::pack(ArrayRef<char> data, const Access &view, function_ref<bool(ArrayRef<char>)> receive) const {
  gguf::BlockInfo info = infoOf(format);
  int64_t k = view.shape[1], n = view.shape[2];
  std::vector<Column> parts(columns);
  std::vector<char> panel(panelBytes(k));
  for (int64_t first = 0; first < n; first += columns) {
    for (auto [c, part] : llvm::enumerate(parts)) {
      part.integers.assign(k, 0);
      part.scales.assign(k / run, 0);
      part.offsets.assign(k / run, 0);
      int64_t column = first + int64_t(c);
      if (column >= n)
        continue;
      int64_t block = (view.base + column * view.strides[2]) / info.elements;
      gguf::splitBlocks(info.type, reinterpret_cast<const uint8_t *>(data.data()) + block * info.bytes,
                        k / info.elements, part.integers.data(), part.scales.data(), part.offsets.data());
      for (int8_t &value : part.integers)
        value += bias;
    }
    char *group = panel.data();
    for (int64_t step = 0; step < k; step += steps, group += groupBytes()) {
      for (int64_t r = 0; r < runs(); ++r) {
        writeScales(group + r * scaleBytes(), halfScales, parts, &Column::scales, step / run + r);
        if (hasOffset)
          writeScales(group + offsetsAt() + r * scaleBytes(), halfScales, parts, &Column::offsets, step / run + r);
      }
      char *to = group + integersAt();
      for (int64_t from = step; from < step + steps; from += bits == 8 ? 2 : 8)
        for (const Column &column : parts) {
          const int8_t *values = &column.integers[from];
          if (bits == 8) {
            std::memcpy(to, values, 2);
            to += 2;
            continue;
          }
          uint32_t word = 0;
          for (int64_t i = 0; i < 8; ++i)
            word |= uint32_t(values[i]) << (i / 2 * 4 + i % 2 * 16);
          std::memcpy(to, &word, sizeof(word));
          to += sizeof(word);
        }
    }
    if (!receive(panel))
      return;
  }
}
