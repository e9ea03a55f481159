// What a damaged bundle, or another model's file, is no export of.
#include "runtime/format/safetensors/writer.h"
#include "runtime/support/output_file.h"
#include "runtime/test/temporary_folder.h"
#include "runtime/text/tokenizer/readers.h"
#include "runtime/train/export/export.h"
#include "runtime/train/export/tokenizer.h"

#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::train;
namespace fs = std::filesystem;

namespace {

using Values = std::vector<float>;

class ExportTest : public testing::Test {
protected:
  void write(const std::string &name, const std::string &text) {
    fs::create_directories(fs::path(folder.path(name)).parent_path());
    ASSERT_TRUE(writeFile(folder.path(name), text.data(), text.size()).ok());
  }
  static void expect(const absl::Status &status, const std::string &says) {
    EXPECT_TRUE(absl::IsInvalidArgument(status) || absl::IsNotFound(status)) << status;
    EXPECT_NE(status.message().find(says), absl::string_view::npos) << says << " not in: " << status;
  }

  test::TemporaryFolder folder;
};

TEST_F(ExportTest, FormsFitTheirTensors) {
  HuggingFaceForm::Tensor form{"x"};
  EXPECT_EQ(*shapeInHuggingFace(form, {4, 3}), (std::vector<int64_t>{4, 3}));
  EXPECT_EQ(toHuggingFace(form, {1, 2}, {2}), (Values{1, 2}));
  form.isTransposed = true;
  EXPECT_EQ(*shapeInHuggingFace(form, {4, 3}), (std::vector<int64_t>{3, 4}));
  expect(shapeInHuggingFace(form, {4}).status(), "[4], which training/huggingface.json transposes");
  // Of one head with two pairs: rows 0 2 1 3.
  form.heads = 1;
  EXPECT_EQ(toHuggingFace(form, {1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}), (Values{1, 5, 3, 7, 2, 6, 4, 8}));
  form.isTransposed = false;
  form.isCentred = true;
  EXPECT_EQ(toHuggingFace(form, {1, 2, 3, 4}, {4}), (Values{0, 2, 1, 3}));
  form.heads = 7;
  expect(shapeInHuggingFace(form, {12, 2}).status(), "[12, 2], which training/huggingface.json cuts into 7 heads");
  EXPECT_TRUE(shapeInHuggingFace(form, {28, 2}).ok());
}

TEST_F(ExportTest, FormsAreRead) {
  auto read = [&](const std::string &text) {
    write("training/huggingface.json", text);
    return readForm(*folder.open());
  };
  auto form = read(R"({"config": {"a": 1}, "tensors": {"t": {"name": "u", "heads": 2, "transposed": true}}})");
  ASSERT_TRUE(form.ok()) << form.status();
  EXPECT_EQ(form->tensors.at("t").heads, 2);
  EXPECT_TRUE(form->tensors.at("t").isTransposed);
  expect(read("{\n\"tensors\": NaN}").status(),
         "huggingface.json: is no JSON text: can't be read from line 2, column 12");
  expect(read("{\"tensors\": " + std::string(300'000, '[')).status(), "huggingface.json: is nested deeper than 16");
  expect(read("{}").status(), "huggingface.json: is not what ane-compile writes; compile the model again");
  expect(read(R"({"tensors": {"t": {"name": "u", "heads": -1}}})").status(), "is not what ane-compile writes");
}

/// Their files are listed in the manifest, and somebody else may have written both.
TEST_F(ExportTest, TokenizersAreCheckedBeforeTheyAreWritten) {
  manifest::Manifest m;
  m.files = {{"tokenizer/tokenizer.json"}, {"tokenizer/chat.json"}};
  auto files = [&](const std::string &more, const std::string &chat = R"({"bos_token": "a"})") {
    write("tokenizer/tokenizer.json",
          R"({"format": "anemone-tokenizer", "version": 1, "algorithm": "bpe", "tokens": ["a", "b", "ab"])" + more +
              "}");
    write("tokenizer/chat.json", chat);
    return tokenizerFiles(*folder.open(), m);
  };
  auto good = files(R"(, "prefix": [1], "merges": [0, 1, 2], "unknown": 0)");
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_NE(good->at("tokenizer_config.json").find("\"bos_token\": \"a\""), std::string::npos);
  expect(files(R"(, "prefix": [4000000])").status(), "of the prefix or suffix, a part is token 4000000 of 3");
  expect(files(R"(, "suffix": [3])").status(), "of the prefix or suffix, a part is token 3 of 3");
  expect(files(R"(, "merges": [4000000, 1, 2])").status(), "of a merge, a part is token 4000000 of 3");
  expect(files(R"(, "unknown": 3999999)").status(), "the unknown token is token 3999999 of 3");
  const std::string deep = "{\"a\": " + std::string(300'000, '[') + std::string(300'000, ']') + "}";
  expect(files("", deep).status(), "tokenizer/chat.json: is nested deeper than 16; compile the model again");
  expect(files("", R"({"a": NaN})").status(), "chat.json: is no JSON text: can't be read from line 1, column 7");
  expect(files("", "[]").status(), "chat.json: is no JSON object");
  expect(files("", std::string(2 << 20, ' ')).status(), "chat.json");
}

TEST_F(ExportTest, IsRefusedBeforeThereAreValues) {
  write("model/config.json", R"({"dtype": "bfloat16", "a": 1})");
  const Values values = {1, 2, 3, 4, 5, 6};
  ASSERT_TRUE(exportSafetensors(folder.path("model/model.safetensors"), {{{"w", {2, 3}, values.data()}}}).ok());
  auto source = ModelFile::open(folder.path("model"));
  ASSERT_TRUE(source.ok()) << source.status();
  auto check = [&](const std::string &name, const std::string &weight = "w", std::vector<int64_t> shape = {2, 3}) {
    return checkExport(*source, folder.path(name), {{{weight, shape, nullptr}}});
  };
  EXPECT_TRUE(check("out").ok()) << check("out");
  EXPECT_TRUE(check("out.safetensors").ok());
  expect(check("out", "v"), "has no tensor \"v\"; name the folder that was compiled");
  expect(check("out", "w", {3, 2}), "tensor \"w\" is float32[2, 3], the trained weight is float32[3, 2]");
  expect(check("out.gguf"), "give a folder");
  expect(check("model"), "exists and is not empty");
  expect(check("none/out"), "none/out");
  expect(check("none/out.safetensors"), "none/out.safetensors");
  fs::create_directory(folder.path("a.safetensors"));
  expect(check("a.safetensors"), "is a folder");
  write("model/config.json", "{\"a\": " + std::string(300'000, '[') + std::string(300'000, ']') + "}");
  expect(check("out"), "model/config.json: is nested deeper than 64");
  write("model/config.json", "{");
  expect(check("out"), "model/config.json: is no JSON text: can't be read from line 1, column 2");
  fs::remove(folder.path("model/config.json"));
  expect(check("out"), "config.json");
  EXPECT_TRUE(check("out.safetensors").ok());
  std::set<std::string> left;
  for (const auto &entry : fs::directory_iterator(folder.path("")))
    left.insert(entry.path().filename());
  EXPECT_EQ(left, (std::set<std::string>{"a.safetensors", "model"}));
}

} // namespace
