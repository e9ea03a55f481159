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
  constexpr size_t kAlignment = 64, kHugePage = size_t(2) << 20;
  const size_t bytes = static_cast<size_t>(std::max<int64_t>(count, 1)) * 4;
  const size_t hugeBytes = bytes < 4 * kHugePage ? 0 : bytes / kHugePage * kHugePage;
  void *memory = nullptr;
  if (posix_memalign(&memory, hugeBytes ? kHugePage : kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment))
    throw std::bad_alloc();
#if defined(MADV_HUGEPAGE)
  if (hugeBytes)
    madvise(memory, hugeBytes, MADV_HUGEPAGE); // fewer translations of addresses; nothing else depends on it
#endif
  return Buffer(memory);
}

} // namespace ane::rt::emulator
