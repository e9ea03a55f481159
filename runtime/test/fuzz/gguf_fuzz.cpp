// The GGUF reader never crashes; all bytes of a tensor that it finds can be expanded.
#include "runtime/format/gguf/gguf.h"

#include <cstdlib>
#include <vector>

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto file = gguf::File::parse(data, size, "fuzz");
  if (!file.ok())
    return 0;
  for (const gguf::Tensor &tensor : file->tensors()) {
    int64_t blocks = tensor.elements() / tensor.block.elements;
    if (static_cast<uint64_t>(blocks * tensor.block.bytes) != tensor.bytes || file->tensor(tensor.name) != &tensor)
      std::abort();
    std::vector<float> elements(static_cast<size_t>(tensor.block.elements));
    for (int64_t block = 0; block < blocks; ++block)
      gguf::expandBlocks(tensor.block.type, tensor.data + block * tensor.block.bytes, 1, elements.data());
  }
  for (const auto &[key, value] : file->metadata())
    if (file->value(key) != &value || value.kind().empty())
      std::abort();
  return 0;
}
