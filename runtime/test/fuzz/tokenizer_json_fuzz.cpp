// tokenizer.json, and the bundle's own file.
#include "runtime/test/fuzz/tokenizer_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  tryModel(ane::rt::text::loadModel(text, "fuzz"));
  return tryModel(ane::rt::text::readTokenizerJson(text, "fuzz"));
}
