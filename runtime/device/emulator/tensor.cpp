//===- tensor.cpp - Types and values inside the emulator ------------------===//

#include "runtime/device/emulator/tensor.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ane::rt::emulator {

Shape rowMajorStrides(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

std::string shapeString(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i != 0)
      text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

std::string TensorType::str() const {
  return "tensor<" + std::string(milName(element)) + ", " + shapeString(shape) + ">";
}

void FreeDeleter::operator()(void *memory) const { std::free(memory); }

Buffer allocateElements(int64_t count) {
  constexpr size_t kHugePage = size_t(2) << 20;
  size_t bytes = static_cast<size_t>(std::max<int64_t>(count, 1)) * 4;
  const bool isHuge = bytes >= 4 * kHugePage;
  const size_t alignment = isHuge ? kHugePage : 64;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  void *memory = std::aligned_alloc(alignment, bytes);
  if (!memory)
    throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (isHuge)
    madvise(memory, bytes, MADV_HUGEPAGE); // fewer pages to find; nothing else depends on it
#endif
  return Buffer(memory);
}

} // namespace ane::rt::emulator
