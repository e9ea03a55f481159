//===- ConstantBlocks.cpp - constants as the blocks of a file -------------===//

#include "ConstantBlocks.h"
#include "runtime/format/gguf/blocks.h"

using namespace mlir;
using namespace mlir::ane;
namespace gguf = ::ane::rt::gguf;

RankedTensorType mlir::ane::typeOfBlocks(RankedTensorType type, BlockType format) {
  return RankedTensorType::get(type.getShape(), type.getElementType(), BlockTypeAttr::get(type.getContext(), format));
}

std::optional<BlockType> mlir::ane::formatOf(const ConstantBuffer &buffer) {
  auto format = dyn_cast_or_null<BlockTypeAttr>(buffer.getType().getEncoding());
  return format ? std::optional(format.getValue()) : std::nullopt;
}

std::vector<float> mlir::ane::expandBlocks(const ConstantBuffer &blocks, int64_t &first, int64_t last) {
  gguf::BlockInfo info = *gguf::blockInfo(static_cast<uint32_t>(*formatOf(blocks)));
  int64_t block = first / info.elements, count = last / info.elements + 1 - block;
  first = block * info.elements;
  std::vector<float> elements(count * info.elements);
  auto bytes = reinterpret_cast<const uint8_t *>(blocks.bytes().data());
  gguf::expandBlocks(info.type, bytes + block * info.bytes, count, elements.data());
  return elements;
}

ConstantBuffer mlir::ane::expandedBlocks(const ConstantBuffer &blocks) {
  RankedTensorType type = blocks.getType();
  ConstantBuffer out = ConstantBuffer::allocate(RankedTensorType::get(type.getShape(), type.getElementType()));
  gguf::BlockInfo info = *gguf::blockInfo(static_cast<uint32_t>(*formatOf(blocks)));
  gguf::expandBlocks(info.type, reinterpret_cast<const uint8_t *>(blocks.bytes().data()),
                     type.getNumElements() / info.elements, reinterpret_cast<float *>(out.mutableBytes().data()));
  return out;
}
