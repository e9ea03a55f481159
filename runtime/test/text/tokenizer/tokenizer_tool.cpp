// tokenizer_tool encode|decode|stream|bench TOKENIZER INPUT [--special] [--bare] [--save FILE]: runs a tokenizer over a
// file of records, each a length (uint32) and its bytes: texts, or ids (int32) to decode. Prints records of the same
// kind. `stream` checks that StreamDecoder gives what decode() does; `bench` prints MB/s of processor time. --special:
// names of special tokens in texts are those tokens, and decoded ids of special tokens are text; --bare: without prefix
// and suffix;
// --save: writes the bundle's file, and uses what is read from it.
#include "runtime/support/mapped_file.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/tokenizer.h"

#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>

using namespace ane::rt;
using namespace ane::rt::text;

static int fail(const absl::Status &status) {
  std::fprintf(stderr, "error: %s\n", std::string(status.message()).c_str());
  return 1;
}

static std::vector<std::string> records(const MappedFile &file) {
  std::vector<std::string> texts;
  for (uint64_t at = 0; at + 4 <= file.size();) {
    uint32_t size = 0;
    std::memcpy(&size, file.data() + at, sizeof size);
    texts.emplace_back(reinterpret_cast<const char *>(file.data()) + at + 4, size);
    at += 4 + size;
  }
  return texts;
}

static void print(const void *data, size_t size) {
  auto length = static_cast<uint32_t>(size);
  std::fwrite(&length, sizeof length, 1, stdout);
  std::fwrite(data, 1, size, stdout);
}

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  bool isSpecial = false, isBare = false;
  std::string saved;
  for (size_t i = 3; i < words.size(); ++i) {
    isSpecial |= words[i] == "--special";
    isBare |= words[i] == "--bare";
    if (words[i] == "--save" && i + 1 < words.size())
      saved = words[++i];
  }
  if (words.size() < 3) {
    std::fprintf(stderr,
                 "usage: tokenizer_tool encode|decode|stream|bench TOKENIZER INPUT [--special] [--bare] [--save F]\n");
    return 2;
  }
  std::clock_t begin = std::clock();
  absl::StatusOr<TokenizerModel> model = openTokenizer(words[1]);
  if (model.ok() && !saved.empty()) {
    std::ofstream(saved, std::ios::binary) << saveModel(*model);
    model = openTokenizer(saved);
  }
  if (!model.ok())
    return fail(model.status());
  absl::StatusOr<Tokenizer> tokenizer = Tokenizer::make(*std::move(model));
  if (!tokenizer.ok())
    return fail(tokenizer.status());
  double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  absl::StatusOr<MappedFile> input = MappedFile::open(words[2]);
  if (!input.ok())
    return fail(input.status());
  std::vector<std::string> texts = records(*input);
  if (words[0] == "bench") {
    uint64_t bytes = 0, tokens = 0;
    std::vector<std::vector<int32_t>> all;
    begin = std::clock();
    for (const std::string &text : texts) {
      auto ids = tokenizer->encode(text, {isSpecial, !isBare});
      if (!ids.ok())
        return fail(ids.status());
      bytes += text.size();
      tokens += ids->size();
      all.push_back(*std::move(ids));
    }
    double encoding = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    begin = std::clock();
    for (const auto &ids : all)
      tokenizer->decode(ids, !isSpecial);
    double decoding = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("open %.3f s, encode %.2f MB/s, decode %.2f MB/s, %llu bytes, %llu tokens\n", seconds,
                static_cast<double>(bytes) / 1e6 / encoding, static_cast<double>(bytes) / 1e6 / decoding,
                static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(tokens));
    return 0;
  }
  for (const std::string &text : texts) {
    if (words[0] == "encode") {
      auto ids = tokenizer->encode(text, {isSpecial, !isBare});
      if (!ids.ok())
        return fail(ids.status());
      print(ids->data(), ids->size() * sizeof(int32_t));
      continue;
    }
    std::vector<int32_t> ids(text.size() / sizeof(int32_t));
    std::memcpy(ids.data(), text.data(), ids.size() * sizeof(int32_t));
    std::string whole = tokenizer->decode(ids, !isSpecial);
    if (words[0] == "stream") {
      StreamDecoder stream(*tokenizer, !isSpecial);
      std::string parts;
      for (int32_t id : ids) {
        parts += stream.add(id);
        if (!isValidUtf8(parts))
          return fail(absl::InternalError("a part of a character came out"));
      }
      parts += stream.finish();
      if (parts != whole)
        return fail(absl::InternalError("the stream gives '" + parts + "', decode() '" + whole + "'"));
    }
    print(whole.data(), whole.size());
  }
  return 0;
}
