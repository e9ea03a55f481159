// The .npy parser never crashes; what it accepts has the size its shape says.
#include "runtime/format/npy/npy.h"

#include <cstdlib>

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  absl::StatusOr<npy::Array> array = npy::parse(data, size, "fuzz");
  if (array.ok() && static_cast<uint64_t>(array->elements() * byteWidth(array->type)) != array->data.size())
    std::abort();
  return 0;
}
