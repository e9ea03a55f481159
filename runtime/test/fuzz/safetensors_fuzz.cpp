// The safetensors reader never crashes; what it finds lies within the file.
#include "runtime/format/safetensors/safetensors.h"

#include <cstdlib>

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto tensors = safetensors::parse(data, size, "fuzz");
  if (!tensors.ok())
    return 0;
  for (const auto &[name, tensor] : *tensors) {
    int64_t bytes = byteWidth(tensor.type);
    for (int64_t dim : tensor.shape)
      bytes *= dim;
    if (static_cast<uint64_t>(bytes) != tensor.bytes || tensor.data < data || tensor.bytes > size ||
        tensor.data + tensor.bytes > data + size)
      std::abort();
  }
  return 0;
}
