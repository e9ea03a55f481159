// The reader of llama2.c's checkpoints never crashes; all that it finds lies in the file, one behind the other.
#include "runtime/format/llama2c/llama2c.h"

#include <algorithm>
#include <cstdlib>

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto file = llama2c::File::parse(data, size, "fuzz");
  bool isKnown = llama2c::recognise(data, std::min<uint64_t>(size, llama2c::kHeaderBytes));
  if (file.ok() && !isKnown)
    std::abort();
  if (!file.ok())
    return 0;
  uint64_t end = 0;
  for (const llama2c::Tensor &tensor : file->tensors()) {
    uint64_t behind = tensor.scales
                          ? tensor.scales + tensor.bytes() / static_cast<uint64_t>(file->sizes().groupSize) * 4
                          : tensor.offset + tensor.bytes();
    if (tensor.elements() < 1 || tensor.offset < end || behind > size)
      std::abort();
    end = behind;
  }
  return 0;
}
