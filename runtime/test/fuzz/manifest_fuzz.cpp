//===- manifest_fuzz.cpp - Fuzz target of the manifest reader -------------===//
#include "runtime/format/manifest/manifest.h"
#include <cstdlib>

using namespace ane::rt::manifest;

// Whatever parses must print to text that parses to the same text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto manifest = parse({reinterpret_cast<const char *>(data), size});
  if (!manifest.ok())
    return 0;
  std::string text = print(*manifest);
  auto again = parse(text);
  if (!again.ok() || print(*again) != text)
    abort();
  return 0;
}
