#include "runtime/format/gguf/gguf.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace ane::rt::gguf;

namespace {

/// Bytes of a file, little-endian.
class Bytes {
public:
  template <typename T>
  Bytes &number(T value) {
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    return *this;
  }
  Bytes &text(const std::string &text) {
    number<uint64_t>(text.size());
    bytes += text;
    return *this;
  }
  Bytes &header(uint64_t tensors, uint64_t values, uint32_t version = 3) {
    bytes += "GGUF";
    return number(version).number(tensors).number(values);
  }
  Bytes &value(const std::string &key, uint32_t type) { return text(key).number(type); }
  Bytes &tensor(const std::string &name, std::vector<uint64_t> dims, uint32_t type, uint64_t offset) {
    text(name).number<uint32_t>(static_cast<uint32_t>(dims.size()));
    for (uint64_t dim : dims)
      number(dim);
    return number(type).number(offset);
  }
  Bytes &padTo(size_t unit) {
    bytes.resize((bytes.size() + unit - 1) / unit * unit);
    return *this;
  }
  std::string bytes;
};

absl::StatusOr<File> parse(const std::string &bytes) {
  return File::parse(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), "m.gguf");
}
std::string errorOf(const Bytes &bytes) {
  absl::StatusOr<File> file = parse(bytes.bytes);
  return file.ok() ? "no error" : std::string(file.status().message());
}

TEST(Gguf, MetadataOfEachKind) {
  Bytes bytes;
  bytes.header(0, 15);
  bytes.value("u8", 0).number<uint8_t>(200).value("i8", 1).number<int8_t>(-2);
  bytes.value("u16", 2).number<uint16_t>(60000).value("i16", 3).number<int16_t>(-3);
  bytes.value("u32", 4).number<uint32_t>(4000000000u).value("i32", 5).number<int32_t>(-4);
  bytes.value("f32", 6).number(0.5f).value("bool", 7).number<uint8_t>(1).value("text", 8).text("caf\xc3\xa9");
  bytes.value("u64", 10).number<uint64_t>(1).value("i64", 11).number<int64_t>(-5).value("f64", 12).number(0.25);
  bytes.value("large", 10).number(UINT64_MAX);
  bytes.value("texts", 9).number<uint32_t>(8).number<uint64_t>(2).text("a").text("");
  bytes.value("integers", 9).number<uint32_t>(5).number<uint64_t>(2).number<int32_t>(7).number<int32_t>(-7);
  absl::StatusOr<File> file = parse(bytes.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->version(), 3u);
  for (auto [key, value] : {std::pair("u8", 200l),
                            {"i8", -2l},
                            {"u16", 60000l},
                            {"i16", -3l},
                            {"u32", 4000000000l},
                            {"i32", -4l},
                            {"u64", 1l},
                            {"i64", -5l}})
    EXPECT_EQ(*file->value(key)->as<int64_t>(), value) << key;
  EXPECT_EQ(*file->value("f32")->as<double>(), 0.5);
  EXPECT_EQ(*file->value("f64")->as<double>(), 0.25);
  EXPECT_TRUE(*file->value("bool")->as<bool>());
  EXPECT_EQ(*file->value("text")->as<std::string_view>(), "caf\xc3\xa9");
  EXPECT_EQ(*file->value("large")->as<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(*file->value("texts")->as<Value::Texts>(), (Value::Texts{"a", ""}));
  EXPECT_EQ(*file->value("integers")->as<Value::Integers>(), (Value::Integers{7, -7}));
  EXPECT_EQ(file->value("texts")->kind(), "list of strings");
  EXPECT_EQ(file->value("none"), nullptr);
}

TEST(Gguf, TensorsLieBehindTheAlignment) {
  Bytes bytes;
  bytes.header(2, 1, 2).value("general.alignment", 4).number<uint32_t>(64);
  bytes.tensor("a", {2, 3}, 0, 64).tensor("b", {32}, 8, 0).padTo(64);
  size_t begin = bytes.bytes.size();
  bytes.bytes.resize(begin + 64 + 24);
  absl::StatusOr<File> file = parse(bytes.bytes);
  ASSERT_TRUE(file.ok()) << file.status();
  auto *base = reinterpret_cast<const uint8_t *>(bytes.bytes.data()) + begin;
  EXPECT_EQ(file->tensor("a")->shape, (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(file->tensor("a")->data, base + 64);
  EXPECT_EQ(file->tensor("b")->data, base);
  EXPECT_EQ(file->tensor("b")->bytes, 34u);
  EXPECT_EQ(file->tensor("b")->describe(), "Q8_0[32]");
  EXPECT_EQ(file->tensor("c"), nullptr);
}

TEST(Gguf, RefusesWhatIsNoFile) {
  auto header = [](uint64_t tensors, uint64_t values) { return Bytes().header(tensors, values); };
  struct Case {
    Bytes bytes;
    std::string error;
  } cases[] = {
      {Bytes(), "m.gguf: is no GGUF file"},
      {Bytes().header(0, 0, 1), "version (at byte 8): is 1; versions 2 and 3 are known; remedy: make the file again"},
      {Bytes().header(0, 0, 3u << 24), "the file is big-endian"},
      {header(1, 0), "tensors (at byte 24): 1 entries are announced, the file has 0 bytes left; is it truncated?"},
      {header(UINT64_MAX, 0), "tensors"},
      {header(0, UINT64_MAX), "metadata"},
      {header(0, 1).value("k", 13), "metadata \"k\""},
      {header(0, 1).value("k", 13), "type 13; known are 0 to 12"},
      {header(0, 1).value("k", 4).number<uint16_t>(0), "metadata \"k\""},
      {header(0, 1).value("k", 7).number<uint8_t>(2), "a bool is 2, expected 0 or 1"},
      {header(0, 1).value("k", 8).number<uint64_t>(1000), "1000"},
      {header(0, 1).value("k", 9).number<uint32_t>(9).number<uint64_t>(1), "a list of lists"},
      {header(0, 1).value("k", 9).number<uint32_t>(8).number<uint64_t>(1ull << 40), "metadata \"k\""},
      {header(0, 2).value("k", 0).number<uint8_t>(1).value("k", 0).number<uint8_t>(1), "a second value of this name"},
      {header(0, 1).value("general.alignment", 4).number<uint32_t>(0).padTo(32),
       "is 0, expected a power of two up to 2^20"},
      {header(1, 1).value("general.alignment", 4).number<uint32_t>(48).tensor("a", {1}, 0, 0).padTo(64),
       "is 48, expected a power of two"},
      {header(1, 0).tensor("a", {1, 1, 1, 1, 1}, 0, 0), "tensor \"a\""},
      {header(1, 0).tensor("a", {1, 1, 1, 1, 1}, 0, 0), "has 5 axes, limit 4"},
      {header(1, 0).tensor("a", {0}, 0, 0), "axis 0 is 0"},
      {header(1, 0).tensor("a", {1ull << 40, 1ull << 40}, 0, 0), "axis 1 is 1099511627776"},
      {header(1, 0).tensor("a", {256}, 16, 0), "has type IQ2_XXS, which is not supported; supported are F32"},
      {header(1, 0).tensor("a", {256}, 99, 0), "has type type 99"},
      {header(1, 0).tensor("a", {48}, 8, 0), "rows of 48 elements are no blocks of 32"},
      {header(1, 0).tensor("a", {2}, 0, 4).padTo(32).padTo(4096),
       "begins at 4 of the data, which is no multiple of 32"},
      {header(1, 0).tensor("a", {1024}, 0, 32).padTo(128),
       "F32[1024] has 4096 bytes at 32 of the data, which has 64; is the file truncated?"},
      {header(2, 0).tensor("a", {1}, 0, 0).tensor("a", {1}, 0, 0).padTo(4096), "a second tensor of this name"},
  };
  for (const Case &each : cases)
    EXPECT_NE(errorOf(each.bytes).find(each.error), std::string::npos)
        << errorOf(each.bytes) << "\nexpected " << each.error;
}

TEST(Gguf, TruncatedAnywhereIsAnError) {
  Bytes bytes;
  bytes.header(1, 1)
      .value("k", 9)
      .number<uint32_t>(8)
      .number<uint64_t>(2)
      .text("ab")
      .text("c")
      .tensor("a", {2}, 0, 0)
      .padTo(32);
  bytes.number(1.0f).number(2.0f);
  ASSERT_TRUE(parse(bytes.bytes).ok());
  for (size_t size = 0; size < bytes.bytes.size(); ++size)
    EXPECT_FALSE(parse(bytes.bytes.substr(0, size)).ok()) << size;
}

} // namespace
