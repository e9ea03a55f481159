// The .npz reader never crashes; what it accepts has the size its shape says.
#include "runtime/format/npz/npz.h"

#include <cstdlib>

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  absl::StatusOr<npz::Archive> archive = npz::Archive::parse(data, size, "fuzz");
  if (!archive.ok())
    return 0;
  for (const std::string &name : archive->names()) {
    MemoryBudget budget(1 << 20);
    absl::StatusOr<npy::Array> array = archive->read(name, budget);
    if (array.ok() && static_cast<uint64_t>(array->elements() * byteWidth(array->type)) != array->data.size())
      std::abort();
  }
  return 0;
}
