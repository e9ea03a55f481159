// What every fuzz target of tokenizers does with a model that a reader has made: whatever it encodes and decodes, texts
// stay valid, ids are tokens, a stream gives what decode() does, and the bundle's file keeps the model.
#ifndef ANE_RUNTIME_TEST_FUZZ_TOKENIZER_INPUT_H
#define ANE_RUNTIME_TEST_FUZZ_TOKENIZER_INPUT_H

#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/tokenizer.h"

#include <cstdlib>

inline void tryText(const ane::rt::text::Tokenizer &tokenizer, std::string_view text) {
  using namespace ane::rt::text;
  for (bool isTrusted : {false, true}) {
    auto ids = tokenizer.encode(text, {isTrusted, true});
    if (!ids.ok())
      return;
    for (int32_t id : *ids)
      if (id < 0 || static_cast<size_t>(id) >= tokenizer.model().tokens.size())
        std::abort();
    std::string whole = tokenizer.decode(*ids, isTrusted), parts;
    StreamDecoder stream(tokenizer, isTrusted);
    for (int32_t id : *ids)
      parts += stream.add(id);
    if (!isValidUtf8(whole) || parts + stream.finish() != whole)
      std::abort();
  }
}

inline int tryModel(absl::StatusOr<ane::rt::text::TokenizerModel> model) {
  using namespace ane::rt::text;
  if (!model.ok())
    return 0;
  auto tokenizer = Tokenizer::make(*std::move(model));
  if (!tokenizer.ok())
    return 0;
  for (std::string_view text :
       {"Hello, it's  WORLD 123\n\n", "\xc3\xa9 e\xcc\x81 \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80\xff\xe2\x82",
        "<s>[CLS]</s><|im_end|>  "})
    tryText(*tokenizer, text);
  std::string saved = saveModel(tokenizer->model());
  auto loaded = loadModel(saved, "saved");
  if (!loaded.ok() || saveModel(*loaded) != saved)
    std::abort();
  return 0;
}

#endif
