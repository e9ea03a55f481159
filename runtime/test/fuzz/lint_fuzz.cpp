// The linter has an answer for any program and weight file.
#include "runtime/device/emulator/lint/linter.h"
#include "runtime/test/fuzz/mil_input.h"

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MilInput input(data, size);
  for (const char *chip : {"m1", "m5"})
    for (const char *route : {"in_memory", "e5rt"})
      if (!lint::lintSource(input.text, "fuzz.mil", input.modelDir, {chip, route, "27", ""}, chip[1] == '1').ok())
        return 0;
  return 0;
}
