//===- tokenizer_test.cpp - Tokenizers ------------------------------------===//
//
// What no other tokenizer can be asked for, and bad input; ids and texts are
// compared with those of other projects in test/Python/test_tokenizers.py.
//
//===----------------------------------------------------------------------===//
#include "runtime/text/tokenizer/pattern.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/text/tokenizer/tokenizer.h"

#include "absl/strings/match.h"

#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::text;

namespace {

/// All single bytes, "ab", a special and a plain added token.
Tokenizer bytes() {
  std::string vocabulary, file;
  for (int byte = 0; byte < 256; ++byte) {
    std::string character;
    appendUtf8(character, (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte != 0xad) ? byte
                          : byte <= 0x20                                                   ? 0x100 + byte
                          : byte <= 0xa0                                                   ? 0x121 + byte - 0x7f
                                                                                           : 0x143);
    bool isQuoted = character == "\"" || character == "\\";
    vocabulary += "\"" + std::string(isQuoted ? "\\" : "") + character + "\": " + std::to_string(byte) + ", ";
  }
  vocabulary += R"("ab": 256)";
  file = R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [
    {"id": 257, "content": "<|end|>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
    {"id": 258, "content": "<tab>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": false}],
    "normalizer": null, "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
    "post_processor": null, "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {)" +
         vocabulary + R"(}, "merges": ["a b"]}})";
  auto model = readTokenizerJson(file, "bytes.json");
  EXPECT_TRUE(model.ok()) << model.status();
  auto made = Tokenizer::make(*std::move(model));
  EXPECT_TRUE(made.ok()) << made.status();
  return *std::move(made);
}

using Ids = std::vector<int32_t>;

TEST(Tokenizer, SpecialTokensAreTextUnlessTheTextIsTrusted) {
  Tokenizer tokenizer = bytes();
  EXPECT_EQ(*tokenizer.encode("ab<|end|>", {/*parsesSpecial=*/true}), (Ids{256, 257}));
  EXPECT_EQ(tokenizer.encode("<|end|>")->size(), 7u);
  EXPECT_EQ(*tokenizer.encode("<tab>"), (Ids{258}));
}

TEST(Tokenizer, SpecialTokensOfPiecesAreTheTemplates) {
  Tokenizer tokenizer = bytes();
  Ids asText = *tokenizer.encode("<|end|>");
  Ids want = asText;
  want.push_back(257);
  EXPECT_EQ(*tokenizer.encode(std::vector<Piece>{{"<|end|>", false}, {"<|end|>", true}}), want);
  // A name that is put together from both is text, whichever side the user has.
  EXPECT_EQ(*tokenizer.encode(std::vector<Piece>{{"<|e", true}, {"nd|>", false}}), asText);
  EXPECT_EQ(*tokenizer.encode(std::vector<Piece>{{"<|end|", false}, {">", true}}), asText);
  EXPECT_EQ(*tokenizer.encode(std::vector<Piece>{{"<|e", true}, {"", false}, {"nd|>", true}}), (Ids{257}));
  // Text on both sides of the border is one text.
  EXPECT_EQ(*tokenizer.encode(std::vector<Piece>{{"a", true}, {"b", false}}), (Ids{256}));
}

TEST(Tokenizer, StreamsWholeCharacters) {
  Tokenizer tokenizer = bytes();
  StreamDecoder stream(tokenizer);
  std::vector<std::string> parts;
  for (int32_t id : Ids{0xf0, 0x9f, 0x98, 0x80, 'a', 0xe2, 0x82, 'b', 0xff, 0xc3})
    parts.push_back(stream.add(id));
  EXPECT_EQ(parts, (std::vector<std::string>{"", "", "", "\xf0\x9f\x98\x80", "a", "", "",
                                             "\xef\xbf\xbd"
                                             "b",
                                             "\xef\xbf\xbd", ""}));
  EXPECT_EQ(stream.finish(), "\xef\xbf\xbd");
  EXPECT_EQ(stream.add('c'), "c");
}

TEST(Tokenizer, AnyBytesAreText) {
  Tokenizer tokenizer = bytes();
  EXPECT_EQ(tokenizer.decode(*tokenizer.encode("a\xff\xe2\x82z")), "a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdz");
  EXPECT_EQ(tokenizer.decode(Ids{-1, 1 << 30, 'a', INT32_MIN}), "a");
  EXPECT_EQ(
      replaceInvalid("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80"
                     "\xf0\x9f\x98\x80"),
      std::string("\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"
                  "\xef\xbf\xbd\xf0\x9f\x98\x80"));
}

TEST(Tokenizer, SavedModelsAreTheSame) {
  Tokenizer tokenizer = bytes();
  std::string text = saveModel(tokenizer.model());
  auto loaded = loadModel(text, "saved.json");
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(saveModel(*loaded), text);
  std::string newer = text;
  newer.replace(newer.find("\"version\":1"), 11, "\"version\":2");
  auto refused = loadModel(newer, "saved.json");
  EXPECT_EQ(refused.status().message(), "saved.json: version: is 2, known is 1");
}

TEST(Tokenizer, IsWrittenForOthersIfTheirFileHoldsIt) {
  TokenizerModel model = bytes().model();
  auto write = [&] {
    auto tokenizer = Tokenizer::make(model);
    EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
    return writeTokenizerJson(*tokenizer);
  };
  auto refused = [&](const std::string &says) {
    absl::Status status = write().status();
    EXPECT_TRUE(absl::IsUnimplemented(status)) << status;
    EXPECT_TRUE(absl::StrContains(status.message(), says)) << status;
  };
  auto written = write();
  ASSERT_TRUE(written.ok()) << written.status();
  auto again = readTokenizerJson(*written, "written.json");
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(saveModel(*again), saveModel(model));
  model.continuingPrefix = "\xff";
  refused("tokenizer.json has UTF-8 only");
  model.continuingPrefix.clear();
  model.tokens.push_back("ab");
  refused("tokens 256 and 259 are both \"ab\"");
  model.tokens.back() = "ac";
  EXPECT_TRUE(write().ok());
  model.algorithm = Algorithm::ScoreBpe;
  model.scores.resize(model.tokens.size());
  model.preTokenizers.clear();
  refused("only tokenizers of byte pairs");
}

TEST(Tokenizer, MarksAreSortedInTime) {
  std::string marks = "a";
  for (int i = 0; i < 300'000; ++i)
    marks += i % 2 == 0 ? "\xcc\x81" : "\xcc\xa3"; // above, below
  EXPECT_EQ(normalize(marks, NormalForm::NFD).size(), marks.size());
}

TEST(Pattern, SpacesAreUnicodes) {
  std::vector<Range> matches;
  auto pattern = Pattern::regex(R"(\s+)");
  ASSERT_TRUE(pattern.ok()) << pattern.status();
  // U+180E is no space since Unicode 6.3; U+0085 and U+3000 are.
  ASSERT_TRUE(pattern->findAll("\xe1\xa0\x8e \xc2\x85\xe3\x80\x80x", matches).ok());
  EXPECT_EQ(matches, (std::vector<Range>{{3, 9}}));
}

TEST(Pattern, RefusesWhatItCannotKeep) {
  for (const char *pattern : {"[a&&b]", "[a[b]]", "\\h", "\\G", "\\R", "[\\W]", "\\1", "(", "\\", "a{2}{", "\\u12"}) {
    auto made = Pattern::regex(pattern);
    if (made.ok())
      EXPECT_STREQ(pattern, "a{2}{");
    else
      EXPECT_TRUE(absl::StrContains(made.status().message(), "the pattern")) << made.status();
  }
}

TEST(Readers, CutFilesAreErrors) {
  std::string piece("\x0a\x0a\x0a\x03<s>\x15\x00\x00\x00\x00\x18\x03", 15);
  for (size_t size = 1; size < piece.size(); ++size)
    if (auto model = readSentencePiece(piece.substr(0, size), "cut.model"); !model.ok())
      EXPECT_TRUE(absl::StartsWith(model.status().message(), "cut.model: ")) << model.status();
  auto empty = readSentencePiece("", "empty.model");
  EXPECT_EQ(empty.status().message(), "empty.model: is no model of SentencePiece, or has no pieces");
  auto bin = readLlama2c(std::string("\x05\0\0\0\0\0\0\0\x09\0\0\0ab", 14), "cut.bin");
  EXPECT_EQ(bin.status().message(), "cut.bin: token 0, byte 12: has 9 bytes, the file 2; is it truncated?");
}

} // namespace
