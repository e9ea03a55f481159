//===- manifest_fuzz.cpp - Fuzz target of the manifest reader -------------===//
#include "runtime/format/manifest/weights.h"
#include <cstdlib>

using namespace ane::rt;
using namespace ane::rt::manifest;

/// Whatever an index of weights says, making one reads the value and writes the
/// form, and nothing beside them.
static void makeAll(const Manifest &manifest) {
  constexpr int64_t largest = 1 << 16;
  for (const Weight &weight : manifest.weights)
    for (const StoredWeight &stored : weight.stored) {
      int64_t bytes = byteCount(weight.type);
      if (!stored.fixed.empty() || bytes > largest || stored.bytes > largest)
        continue;
      std::vector<uint8_t> from(bytes), to(stored.bytes);
      makeStored(weight, stored, from.data(), to.data());
    }
}

// Whatever parses must print to text that parses to the same text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto manifest = parse({reinterpret_cast<const char *>(data), size});
  if (!manifest.ok())
    return 0;
  std::string text = print(*manifest);
  auto again = parse(text);
  if (!again.ok() || print(*again) != text)
    abort();
  makeAll(*manifest);
  return 0;
}
