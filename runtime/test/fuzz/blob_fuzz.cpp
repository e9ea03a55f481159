// The blob reader never reads outside the file, whatever the records say.
#include "runtime/format/blob/blob.h"

#include <numeric>

using namespace ane::rt;

namespace {

/// Touches every byte, so that a sanitizer sees a range that is too long.
unsigned touch(const blob::Blob &blob) {
  return std::accumulate(blob.data, blob.data + blob.bytes, 0u) + static_cast<unsigned>(blob.elements());
}

volatile unsigned sink;

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  absl::StatusOr<blob::Reader> reader = blob::Reader::fromBytes(data, size, "fuzz");
  if (!reader.ok())
    return 0;
  unsigned sum = 0;
  if (auto blobs = reader->readAll(); blobs.ok())
    for (const blob::Blob &blob : *blobs)
      sum += touch(blob);
  for (uint64_t position = 0; position <= size; position += 32) {
    if (auto blob = reader->read(position); blob.ok())
      sum += touch(*blob);
    std::vector<std::string> deviations;
    for (ElementType type : {ElementType::Float16, ElementType::Int4})
      if (auto blob = reader->readAs(position, type, size / 4, deviations); blob.ok())
        sum += touch(*blob);
  }
  sink = sum;
  return 0;
}
