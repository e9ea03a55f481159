// Any bytes as text, for a tokenizer of each kind: the files of the corpus of tokenizer_json.
#include "runtime/test/fuzz/tokenizer_input.h"

#include <filesystem>

using namespace ane::rt::text;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<Tokenizer> tokenizers = [] {
    std::vector<Tokenizer> made;
    for (const auto &entry : std::filesystem::directory_iterator(ANE_TOKENIZERS)) {
      auto model = openTokenizer(entry.path().string());
      auto tokenizer = model.ok() ? Tokenizer::make(*std::move(model)) : model.status();
      if (!tokenizer.ok())
        std::abort();
      made.push_back(*std::move(tokenizer));
    }
    return made;
  }();
  for (const Tokenizer &tokenizer : tokenizers)
    tryText(tokenizer, {reinterpret_cast<const char *>(data), size});
  return 0;
}
