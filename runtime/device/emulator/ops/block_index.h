//===- block_index.h - One parameter per block of a tensor ----------------===//

#ifndef ANE_RUNTIME_DEVICE_EMULATOR_OPS_BLOCK_INDEX_H
#define ANE_RUNTIME_DEVICE_EMULATOR_OPS_BLOCK_INDEX_H

#include "runtime/device/emulator/tensor.h"

namespace ane::rt::emulator {

/// Walks the elements of `shape` in row-major order and knows the block of
/// each: axis i is cut into blocks[i] equal parts.
class BlockIndex {
public:
  BlockIndex(const Shape &shape, const Shape &blocks) : shape(shape), position(shape.size(), 0) {
    Shape strides = rowMajorStrides(blocks);
    for (size_t i = 0; i < shape.size(); ++i) {
      sizes.push_back(shape[i] / blocks[i]);
      blockStrides.push_back(strides[i]);
    }
  }

  /// False when a size is not a multiple of its number of blocks.
  static bool fits(const Shape &shape, const Shape &blocks) {
    if (shape.size() != blocks.size())
      return false;
    for (size_t i = 0; i < shape.size(); ++i)
      if (blocks[i] < 1 || shape[i] % blocks[i] != 0)
        return false;
    return true;
  }

  int64_t block() const {
    int64_t index = 0;
    for (size_t i = 0; i < shape.size(); ++i)
      index += position[i] / sizes[i] * blockStrides[i];
    return index;
  }

  /// Elements from here to the end of the row that are in the same block.
  int64_t run() const { return shape.empty() ? 1 : sizes.back() - position.back() % sizes.back(); }

  void advance(int64_t count) {
    if (shape.empty())
      return;
    position.back() += count;
    for (size_t i = shape.size(); i-- > 1 && position[i] == shape[i];) {
      position[i] = 0;
      ++position[i - 1];
    }
  }

private:
  Shape shape, position, sizes, blockStrides;
};

} // namespace ane::rt::emulator

#endif // ANE_RUNTIME_DEVICE_EMULATOR_OPS_BLOCK_INDEX_H
