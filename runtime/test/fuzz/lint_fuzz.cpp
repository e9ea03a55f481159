// The linter has an answer for any program and weight file.
#include "runtime/lint/linter.h"
#include "runtime/test/fuzz/mil_input.h"

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MilInput input(data, size);
  for (auto [chip, route] : {std::pair("m1", "in_memory"), {"m5", "e5rt"}})
    (void)lint::lintSource(input.text, "fuzz.mil", input.modelDir, {chip, route, "27", ""}, /*json=*/chip[1] == '5');
  return 0;
}
