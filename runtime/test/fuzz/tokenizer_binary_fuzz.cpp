// tokenizer.model, tokenizer.bin, GGUF; vocab.txt; by the first byte.
#include "runtime/test/fuzz/tokenizer_input.h"

using namespace ane::rt;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  std::string_view bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  switch (data[0]) {
  case 'm':
    return tryModel(text::readSentencePiece(bytes, "fuzz"));
  case 'b':
    return tryModel(text::readLlama2c(bytes, "fuzz"));
  case 't':
    return tryModel(text::readVocabTxt(bytes, "", "fuzz"));
  case 'g': {
    auto file = gguf::File::parse(data + 1, size - 1, "fuzz");
    return file.ok() ? tryModel(text::readGguf(*file, "fuzz")) : 0;
  }
  case 'v': {
    // vocab.json, merges.txt, tokenizer_config.json, with zero bytes between them.
    size_t first = bytes.find('\0'), second = first == bytes.npos ? first : bytes.find('\0', first + 1);
    if (second == bytes.npos)
      return 0;
    return tryModel(text::readVocabularyAndMerges(bytes.substr(0, first), bytes.substr(first + 1, second - first - 1),
                                                  bytes.substr(second + 1), "fuzz"));
  }
  default:
    return 0;
  }
}
