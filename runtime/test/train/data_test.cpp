// Files of examples: what the step gets of them, and what is refused.
#include "runtime/test/temporary_folder.h"
#include "runtime/train/data/open.h"

#include <fstream>
#include <gtest/gtest.h>
#include <zip.h>

using namespace ane::rt;
using namespace ane::rt::train;

namespace {

constexpr int32_t kBos = 1, kEos = 2;
constexpr int64_t kIgnore = -100;

/// A token for each of "a" to "z", from 3 on, and for a space; bos before and eos behind a text, which `hasSuffix` puts
/// there itself.
text::Tokenizer makeTokenizer(bool hasEnds = true, bool hasSuffix = false) {
  text::TokenizerModel model;
  model.tokens = {"<unk>", "<s>", "</s>"};
  for (char c = 'a'; c <= 'z'; ++c)
    model.tokens.push_back(std::string(1, c));
  model.tokens.push_back(" ");
  model.tokens.push_back("\n");
  model.unknown = 0;
  if (hasEnds) {
    model.bos = kBos;
    model.eos = kEos;
    model.prefix = {kBos};
  }
  if (hasSuffix)
    model.suffix = {kEos};
  model.added = {{kEos, "</s>", true}};
  auto tokenizer = text::Tokenizer::make(std::move(model));
  EXPECT_TRUE(tokenizer.ok()) << tokenizer.status();
  return *std::move(tokenizer);
}

Signature tokenSignature(int64_t length, ElementType target = ElementType::Int32) {
  Signature signature;
  signature.fields = {{"input_ids", {ElementType::Int32, {length}}, 0, 30, "embed"}, {"target", {target, {length}}}};
  signature.hasTarget = true;
  signature.ignore = kIgnore;
  return signature;
}

class Data : public testing::Test {
protected:
  test::TemporaryFolder folder;
  text::Tokenizer tokenizer = makeTokenizer();

  std::string write(const std::string &name, const std::string &bytes) {
    std::ofstream(folder.path(name), std::ios::binary) << bytes;
    return folder.path(name);
  }
  std::string writeTokens(const std::vector<uint16_t> &tokens) {
    return write("t.bin", std::string(reinterpret_cast<const char *>(tokens.data()), tokens.size() * 2));
  }
  std::string error(const std::vector<std::string> &paths, const Signature &signature = tokenSignature(4),
                    int64_t sequence = 0) {
    auto data = openData(paths, signature, {&tokenizer, sequence});
    return data.ok() ? "no error" : std::string(data.status().message());
  }
};

#define EXPECT_SAYS(message, words)                                                                                    \
  do {                                                                                                                 \
    std::string text = (message);                                                                                      \
    EXPECT_NE(text.find(words), std::string::npos) << text;                                                            \
  } while (false)

/// Inputs and targets of an example.
std::pair<std::vector<int32_t>, std::vector<int32_t>> example(const Dataset &data, uint64_t index, size_t length) {
  std::vector<int32_t> input(length), target(length);
  void *places[] = {input.data(), target.data()};
  data.read(index, places);
  return {input, target};
}

using Values = std::vector<int32_t>;

TEST_F(Data, DocumentsArePacked) {
  // <s> a b </s> <s> c </s> <s> d e f </s>
  std::string first = write("1.txt", "ab"), second = write("2.txt", "c"), third = write("3.txt", "def");
  std::string empty = write("4.txt", "");
  auto data = openData({first, second, empty, third}, tokenSignature(4), {&tokenizer});
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_EQ((*data)->size(), 2u); // 12 tokens: 11 have one behind them
  EXPECT_TRUE((*data)->isText());
  EXPECT_EQ(example(**data, 0, 4), std::pair(Values({1, 3, 4, 2}), Values({3, 4, 2, kIgnore})));
  EXPECT_EQ(example(**data, 1, 4), std::pair(Values({1, 5, 2, 1}), Values({5, 2, kIgnore, 6})));
  EXPECT_SAYS((*data)->describe(), "1.txt and 3 more: 12 tokens of 3 documents, 2 examples of 4");
}

TEST_F(Data, WithoutEndTokensBoundariesDoNotCountEither) {
  text::Tokenizer bare = makeTokenizer(/*hasEnds=*/false);
  auto data = openData({write("1.txt", "ab"), write("2.txt", "cd e")}, tokenSignature(5), {&bare});
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(example(**data, 0, 5), std::pair(Values({3, 4, 5, 6, 29}), Values({4, kIgnore, 6, 29, 7})));
}

TEST_F(Data, NamesOfSpecialTokensAreText) {
  auto data = openData({write("1.txt", "a</s>bcd")}, tokenSignature(4), {&tokenizer});
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ(example(**data, 0, 4).first, Values({1, 3, 0, 0})) << "'<' and '/' are unknown";
}

TEST_F(Data, JsonLinesAreDocuments) {
  std::string path = write("d.jsonl", "{\"text\": \"ab\", \"meta\": {\"text\": 3, \"list\": [1, {\"text\": "
                                      "\"x\"}]}}\r\n\n{\"id\": 1, \"text\": \"c\"}");
  auto data = openData({path}, tokenSignature(3), {&tokenizer});
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ((*data)->size(), 2u);
  EXPECT_EQ(example(**data, 1, 3), std::pair(Values({2, 1, 5}), Values({kIgnore, 5, 2})));
  auto refused = [&](const char *lines, const char *says) { EXPECT_SAYS(error({write("d.jsonl", lines)}), says); };
  refused("{\"text\": \"abcdef\"}\n{\"Text\": \"b\"}", "d.jsonl: line 2 has no \"text\"");
  refused("{\"text\": 3}", "line 1 \"text\" is a number, expected a string");
  refused("{\"text\": [\"a\"]}", "line 1 \"text\" is a list");
  refused("[1]", "line 1 is a list, expected an object");
  refused("\n\n{\"text\": \"a\"", "line 3 is no JSON text");
  refused("{\"text\": \"a\", \"text\": \"b\"}", "line 1 has \"text\" twice");
  refused("{\"text\": \"a\"}{\"text\": \"b\"}", "line 1 is no JSON text");
  refused("{\"text\": \"\"}\n", "has no text; there is nothing to train with");
}

TEST_F(Data, PositionsBeginAnewWithEachDocument) {
  // <s> a b </s> <s> c </s> <s> d e f </s>
  Signature signature = tokenSignature(4);
  signature.fields.insert(signature.fields.begin() + 1, {"position_ids", {ElementType::Int32, {4}}});
  auto data = openData({write("1.txt", "ab"), write("2.txt", "c"), write("3.txt", "def")}, signature, {&tokenizer, 3});
  ASSERT_TRUE(data.ok()) << data.status();
  std::vector<Values> found;
  for (uint64_t i = 0; i < (*data)->size(); ++i) {
    Values input(4), positions(4), target(4);
    void *places[] = {input.data(), positions.data(), target.data()};
    (*data)->read(i, places);
    found.push_back(positions);
  }
  // What begins in the middle of a document counts from 0, too.
  EXPECT_EQ(found, std::vector<Values>({{0, 1, 2, 3}, {0, 0, 1, 2}, {0, 0, 1, 2}}));
}

/// Pairs of texts of `length` tokens.
Signature pairSignature(int64_t length) {
  Signature signature;
  signature.fields = {{"attention_mask", {ElementType::Int64, {2, length}}},
                      {"input_ids", {ElementType::Int32, {2, length}}, 0, 29, "the vocabulary"}};
  return signature;
}

TEST_F(Data, PairsOfTexts) {
  text::Tokenizer around = makeTokenizer(true, true);
  std::string path = write("p.jsonl", "{\"anchor\": \"ab\", \"positive\": \"cdefg\", \"score\": 1}\n"
                                      "{\"positive\": \"a\", \"anchor\": \"b\"}\n");
  auto data = openData({path}, pairSignature(5), {&around});
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_EQ((*data)->size(), 2u);
  EXPECT_FALSE((*data)->isText());
  std::vector<int64_t> mask(10);
  Values ids(10);
  void *places[] = {mask.data(), ids.data()};
  (*data)->read(0, places);
  // The second has lost its end, but not its </s>.
  EXPECT_EQ(ids, Values({1, 3, 4, 2, 0, 1, 5, 6, 7, 2}));
  EXPECT_EQ(mask, std::vector<int64_t>({1, 1, 1, 1, 0, 1, 1, 1, 1, 1}));
  (*data)->read(1, places);
  EXPECT_EQ(ids, Values({1, 4, 2, 0, 0, 1, 3, 2, 0, 0}));
  EXPECT_SAYS((*data)->describe(), "p.jsonl: 2 pairs of texts of at most 5 tokens; the ends of 1 are left out");
  auto other = openData({path}, pairSignature(6), {&around});
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE((*data)->fingerprint(), (*other)->fingerprint());
}

TEST_F(Data, WhatIsNoPairIsAnError) {
  text::Tokenizer around = makeTokenizer(true, true);
  auto refused = [&](const char *name, const char *content, const char *says, int64_t length = 5,
                     int64_t sequence = 0) {
    auto data = openData({write(name, content)}, pairSignature(length), {&around, sequence});
    EXPECT_SAYS(data.ok() ? "no error" : std::string(data.status().message()), says);
  };
  refused("p.jsonl", "{\"anchor\": \"a\"}",
          "line 1 has no \"positive\"; each line is an object with two texts that belong together as \"anchor\" and");
  refused("p.jsonl", "{\"anchor\": \"a\", \"positive\": [\"b\"]}", "\"positive\" is a list, expected a string");
  refused("p.jsonl", "\n", "has no pairs of texts");
  refused("p.jsonl", "{\"anchor\": \"a\", \"positive\": \"b\"}", "line 1 has a text that does not fit", 2);
  refused("p.jsonl", "{\"anchor\": \"a\", \"positive\": \"b\"}", "the bundle takes 1 to 5", 5, 6);
  refused("p.txt", "ab", "give .jsonl");
  Signature more = pairSignature(5);
  more.fields.push_back({"pixels", {ElementType::Float32, {2, 5}}});
  auto data = openData({write("p.jsonl", "{}")}, more, {&around});
  ASSERT_FALSE(data.ok());
  EXPECT_SAYS(std::string(data.status().message()), "\"pixels\"");
}

TEST_F(Data, ShorterSequencesAreFilledUp) {
  auto data = openData({write("1.txt", "abcd")}, tokenSignature(5, ElementType::Int64), {&tokenizer, 2});
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ((*data)->size(), 2u);
  Values input(5);
  std::vector<int64_t> target(5);
  void *places[] = {input.data(), target.data()};
  (*data)->read(1, places);
  EXPECT_EQ(input, Values({4, 5, 0, 0, 0}));
  EXPECT_EQ(target, (std::vector<int64_t>{5, 6, kIgnore, kIgnore, kIgnore}));
}

TEST_F(Data, BadTextsAreNamed) {
  EXPECT_SAYS(error({write("1.txt", "ab\nc\xff")}),
              "1.txt: line 2, byte 4 of the file: 0xff begins no character of UTF-8");
  EXPECT_SAYS(error({write("1.txt", "ab\xe2\x82")}), "line 1, byte 2 of the file: 0xe2");
  EXPECT_SAYS(error({write("1.txt", "")}), "1.txt: has no text; there is nothing to train with");
  EXPECT_SAYS(error({write("1.txt", "a")}), "1.txt: has 3 tokens of 1 document, an example of 4 takes 5");
  EXPECT_SAYS(error({write("1.txt", "abcdefgh")}, tokenSignature(4), 5),
              "sequences of 5 tokens; the bundle takes 1 to 4");
  EXPECT_SAYS(error({write("1.txt", "abcdefgh")}, tokenSignature(4), -1), "sequences of -1 tokens");
  EXPECT_SAYS(error({folder.path("none.txt")}), "none.txt");
  EXPECT_SAYS(error({}), "no file of data is given");
  EXPECT_SAYS(error({write("1.txt", "a"), write("t.bin", "ab")}), "1.txt is text and");
  EXPECT_SAYS(std::string(openData({write("1.txt", "abcdefgh")}, tokenSignature(4)).status().message()),
              "the bundle has no tokenizer");
  Signature small = tokenSignature(4);
  small.fields[0].max = 9;
  EXPECT_SAYS(error({write("1.txt", "azazazaz")}, small), "token 2 is 28, the model's are 0 to 9; the data were made");
  Signature other = tokenSignature(4);
  other.fields[0].name = "x";
  EXPECT_SAYS(error({write("1.txt", "abcdefgh")}, other), "this one takes \"x\", \"target\"; give an .npz file");
  text::Tokenizer bare = makeTokenizer(/*hasEnds=*/false);
  EXPECT_SAYS(
      std::string(openData({write("1.txt", "a"), write("2.txt", "b"), write("3.txt", "c")}, tokenSignature(1), {&bare})
                      .status()
                      .message()),
      "each target of example 0, of 1 tokens, begins a document");
}

TEST_F(Data, TokenFilesBeginDocumentsByTokenOne) {
  std::string path = writeTokens({1, 5, 6, 1, 7, 8, 9, 30});
  auto data = openData({path}, tokenSignature(3), {});
  ASSERT_TRUE(data.ok()) << data.status();
  ASSERT_EQ((*data)->size(), 2u);
  EXPECT_EQ(example(**data, 0, 3), std::pair(Values({1, 5, 6}), Values({5, 6, kIgnore})));
  EXPECT_EQ(example(**data, 1, 3), std::pair(Values({1, 7, 8}), Values({7, 8, 9})));
  std::string before = (*data)->fingerprint();
  EXPECT_NE((*openData({writeTokens({1, 5, 6, 1, 7, 8, 9, 29})}, tokenSignature(3)))->fingerprint(), before);
  EXPECT_SAYS(error({writeTokens({1, 5, 6, 1, 7, 31, 9, 30})}), "t.bin: token 5 is 31, the model's are 0 to 30");
  EXPECT_SAYS(error({write("t.bin", "abcdefghijk")}), "has 11 bytes, tokens of llama2.c have 2 each");
  EXPECT_SAYS(error({write("t.bin", "")}), "has 0 tokens, an example of 4 takes 5");
  EXPECT_SAYS(error({writeTokens({1, 2, 3, 4})}), "has 4 tokens, an example of 4 takes 5");
}

class ArrayData : public Data {
protected:
  Signature signature;
  std::vector<std::pair<std::string, std::string>> members;

  void SetUp() override {
    signature.fields = {{"x", {ElementType::Float32, {2}}}, {"target", {ElementType::Int64, {}}, 0, 4, "the loss"}};
    signature.hasTarget = true;
    signature.ignore = kIgnore;
  }
  /// A .npy file.
  template <typename T>
  static std::string npy(const char *type, const std::string &shape, const std::vector<T> &values) {
    std::string header = std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }\n";
    std::string bytes("\x93NUMPY\1\0", 8);
    bytes += {static_cast<char>(header.size()), '\0'};
    return bytes + header + std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  }
  std::string npz() {
    std::string path = folder.path("d.npz");
    int code = 0;
    zip_t *zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    for (const auto &[name, bytes] : members)
      zip_file_add(zip, (name + ".npy").c_str(), zip_source_buffer(zip, bytes.data(), bytes.size(), 0), 0);
    EXPECT_EQ(zip_close(zip), 0);
    return path;
  }
};

TEST_F(ArrayData, ExamplesAreRows) {
  members = {{"target", npy<int64_t>("<i8", "3,", {4, 0, kIgnore})},
             {"x", npy<float>("<f4", "3, 2", {0, 1, 2, 3, 4, 5})},
             {"unused", npy<float>("<f4", "", {1})}};
  auto data = openData({npz()}, signature);
  ASSERT_TRUE(data.ok()) << data.status();
  EXPECT_EQ((*data)->size(), 3u);
  EXPECT_FALSE((*data)->isText());
  float x[4];
  int64_t target[2];
  void *places[] = {x, target};
  readBatch(**data, signature, {2, 0}, places);
  EXPECT_EQ(std::vector<float>(x, x + 4), (std::vector<float>{4, 5, 0, 1}));
  EXPECT_EQ(target[0], kIgnore);
  EXPECT_EQ(target[1], 4);
}

TEST_F(ArrayData, WhatDoesNotFitIsNamed) {
  auto x = npy<float>("<f4", "1, 2", {0, 1});
  auto refused = [&](std::string target, const char *says) {
    members = {{"x", x}, {"target", std::move(target)}};
    EXPECT_SAYS(error({npz()}, signature), says);
  };
  refused(npy<int32_t>("<i4", "1,", {1}), "array \"target\" is int32[1], the model takes int64[examples]; convert it");
  refused(npy<int64_t>("<i8", "1, 1", {1}), "is int64[1,1], the model takes int64[examples]");
  refused(npy<int64_t>("<i8", "", {1}), "is int64[], the model takes");
  refused(npy<int64_t>("<i8", "2,", {1, 1}), "has 2 examples, \"x\" has 1");
  refused(npy<int64_t>("<i8", "1,", {5}), "array \"target\": element 0 of example 0 is 5, expected 0 to 4 (the loss)");
  refused(npy<int64_t>("<i8", "1,", {-1}), "is -1, expected 0 to 4");
  members = {{"x", x}};
  EXPECT_SAYS(error({npz()}, signature), "has no array \"target\"; it has \"x\"");
  x = npy<float>("<f4", "0, 2", {});
  refused(npy<int64_t>("<i8", "0,", {}), "array \"x\" is float32[0,2]: has no example");
}

} // namespace
