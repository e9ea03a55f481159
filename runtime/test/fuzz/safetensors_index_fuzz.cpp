// The index of a checkpoint in several files may say anything: it is refused, or all that it names stands beside it.
#include "runtime/format/safetensors/safetensors.h"

#include <cstdlib>

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto files = safetensors::parseIndex(data, size, "fuzz");
  if (!files.ok())
    return 0;
  for (const auto &[tensor, file] : *files)
    if (file.empty() || file == "." || file == ".." || file.find('/') != file.npos || file.find('\0') != file.npos)
      std::abort();
  return 0;
}
