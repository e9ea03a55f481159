// Texts in JSON lines: documents are not empty and stand one behind the other.
#include "runtime/train/data/readers.h"
#include <cstdlib>

using namespace ane::rt;
using namespace ane::rt::train;

namespace {

text::Tokenizer makeTokenizer() {
  text::TokenizerModel model;
  model.tokens = {"<unk>", "</s>", "a", "b"};
  model.unknown = 0;
  model.eos = 1;
  auto tokenizer = text::Tokenizer::make(std::move(model));
  if (!tokenizer.ok())
    std::abort();
  return *std::move(tokenizer);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const text::Tokenizer tokenizer = makeTokenizer();
  Documents documents;
  if (!addJsonLines({reinterpret_cast<const char *>(data), size}, "input", tokenizer, documents).ok())
    return 0;
  uint64_t end = documents.tokens.size();
  for (auto begin = documents.begins.rbegin(); begin != documents.begins.rend(); ++begin) {
    if (*begin >= end)
      std::abort();
    end = *begin;
  }
  return end == 0 ? 0 : (std::abort(), 0);
}
