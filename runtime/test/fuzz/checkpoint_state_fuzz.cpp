// state.json of checkpoints: whatever parses prints to text that parses to the same text.
#include "runtime/train/checkpoint/state.h"
#include <cstdlib>

using namespace ane::rt::train;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto state = parseState({reinterpret_cast<const char *>(data), size}, "input");
  if (!state.ok())
    return 0;
  std::string text = printState(*state);
  auto again = parseState(text, "again");
  if (!again.ok() || printState(*again) != text)
    std::abort();
  return 0;
}
