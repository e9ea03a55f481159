// Token files of llama2.c: examples have tokens below the vocabulary, and targets that count.
#include "runtime/train/data/readers.h"
#include <cstdlib>

using namespace ane::rt;
using namespace ane::rt::train;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  constexpr int64_t length = 4, vocabulary = 64, ignore = -100;
  Signature signature;
  signature.fields = {{"input_ids", {ElementType::Int32, {length}}, 0, vocabulary - 1, "embed"},
                      {"target", {ElementType::Int64, {length}}}};
  signature.hasTarget = true;
  signature.ignore = ignore;
  auto dataset = parseTokenFile(data, size, "input", signature, 3);
  if (!dataset.ok())
    return 0;
  int32_t input[length];
  int64_t target[length];
  void *places[] = {input, target};
  for (uint64_t i = 0; i < (*dataset)->size(); ++i) {
    (*dataset)->read(i, places);
    int counts = 0;
    for (int64_t j = 0; j < length; ++j) {
      if (input[j] < 0 || input[j] >= vocabulary || (target[j] != ignore && (target[j] < 0 || target[j] >= vocabulary)))
        std::abort();
      counts += target[j] != ignore;
    }
    if (counts == 0)
      std::abort();
  }
  return 0;
}
