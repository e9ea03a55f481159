#include "runtime/format/safetensors/safetensors.h"
#include "runtime/test/temporary_folder.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::safetensors;

namespace {

std::string file(const std::string &header, size_t dataBytes) {
  uint64_t size = header.size();
  return std::string(reinterpret_cast<const char *>(&size), sizeof size) + header + std::string(dataBytes, '\1');
}
absl::StatusOr<Tensors> parseText(const std::string &bytes) {
  return parse(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), "m.safetensors");
}
std::string errorOf(const std::string &bytes) {
  absl::StatusOr<Tensors> tensors = parseText(bytes);
  return tensors.ok() ? "no error" : std::string(tensors.status().message());
}

TEST(Safetensors, TensorsAreViews) {
  std::string bytes =
      file(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[],"data_offsets":[24,26]},)"
           R"("a":{"data_offsets":[0,24],"shape":[2,3],"dtype":"F32"},"e":{"dtype":"I64","shape":[0,5],)"
           R"("data_offsets":[26,26]}}  )",
           26);
  std::map<std::string, std::string> metadata;
  absl::StatusOr<Tensors> tensors =
      parse(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), "m.safetensors", &metadata);
  ASSERT_TRUE(tensors.ok()) << tensors.status();
  EXPECT_EQ(tensors->at("a").describe(), "float32[2, 3]");
  EXPECT_EQ(tensors->at("b").describe(), "bfloat16[]");
  EXPECT_EQ(tensors->at("e").describe(), "int64[0, 5]");
  EXPECT_EQ(tensors->at("b").data - tensors->at("a").data, 24);
  EXPECT_EQ(metadata.at("format"), "pt");
}

TEST(Safetensors, RefusesWhatIsNoFile) {
  auto one = [](const std::string &entry, size_t bytes) { return file("{\"w\":" + entry + "}", bytes); };
  struct Case {
    std::string bytes, error;
  } cases[] = {
      {"", "m.safetensors: is no safetensors file: it has 0 bytes"},
      {std::string(8, '\xff'), "is truncated: its header would have 18446744073709551615 bytes"},
      {file("{", 0), "the header is no JSON text from its byte"},
      {file("[]", 0), "the header: a list; expected are names"},
      {file("3", 0), "the header: 3"},
      {file(R"({"__metadata__":{"a":1}})", 0), "tensor \"__metadata__\", \"a\": 1"},
      {one("1", 0), "tensor \"w\": 1"},
      {one("{}", 0), "tensor \"w\" needs a dtype, a shape and two data_offsets"},
      {one(R"({"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]})", 1), "dtype \"F8_E4M3\" is not supported"},
      {one(R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})", 4), "tensor \"w\", \"shape\": -1"},
      {one(R"({"dtype":"F32","shape":[1.5],"data_offsets":[0,4]})", 4), "tensor \"w\", \"shape\": 1.5"},
      {one(R"({"dtype":"F32","shape":[[1]],"data_offsets":[0,4]})", 4), "tensor \"w\", \"shape\": a list"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"x":{}})", 4), "tensor \"w\", \"x\": an object"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4],"shape":[1]})", 4),
       "tensor \"w\", \"shape\": given twice"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})", 4), "float32[2] takes 8 bytes, data_offsets give 4"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[4,0]})", 4), "lies at 4 to 0 of the data"},
      {one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", 4),
       "lies at 0 to 8 of the data, which has 4 bytes; is the file truncated?"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", 5), "the tensors end at 4 of the data, which has 5"},
      {one(R"({"dtype":"F32","shape":[1],"data_offsets":[1,5]})", 5),
       "\"w\" begins at 1 of the data, the one before it ends at 0"},
      {one(R"({"dtype":"F32","shape":[9223372036854775807,2],"data_offsets":[0,4]})", 4),
       "has an axis of 9223372036854775807"},
      {file(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{}})", 1),
       "tensor \"a\": a second tensor of this name"},
      {file(
           R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
           2),
       "\"b\" begins at 1 of the data, the one before it ends at 2"},
  };
  for (const Case &each : cases)
    EXPECT_NE(errorOf(each.bytes).find(each.error), std::string::npos)
        << errorOf(each.bytes) << "\nexpected " << each.error;
}

TEST(Safetensors, Shards) {
  test::TemporaryFolder folder;
  auto write = [&](const std::string &name, const std::string &text) {
    std::ofstream(folder.path(name), std::ios::binary) << text;
  };
  auto open = [&] { return Checkpoint::open(folder.path(".")); };
  EXPECT_NE(open().status().message().find("has neither model.safetensors nor model.safetensors.index.json"),
            absl::string_view::npos);
  write("1.safetensors", file(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1));
  write("2.safetensors", file(R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2));
  write("model.safetensors.index.json",
        R"({"metadata":{"total_size":3},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})");
  absl::StatusOr<Checkpoint> checkpoint = open();
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  EXPECT_EQ(checkpoint->tensors().size(), 2u);
  EXPECT_EQ(checkpoint->tensor("b")->bytes, 2u);
  EXPECT_EQ(checkpoint->files()[checkpoint->tensor("b")->file].substr(checkpoint->files()[1].size() - 13),
            "2.safetensors");
  for (auto [index, error] :
       {std::pair(R"({"weight_map":{"a":"2.safetensors"}})", "tensor \"a\" is not in 2.safetensors"),
        {R"({"weight_map":{"c":"1.safetensors"}})", "tensor \"c\" is not in 1.safetensors"},
        {R"({"weight_map":{"a":"../1.safetensors"}})", "\"a\" needs the name of a file in the index's folder"},
        {R"({"weight_map":{"a":3}})", "\"a\" needs the name of a file"},
        {R"({"weight_map":[]})", "it has no object 'weight_map'"},
        {R"({"weight_map")", "it has no object 'weight_map'"},
        {R"({"weight_map":{"a":"none"}})", "none"}}) {
    write("model.safetensors.index.json", index);
    EXPECT_NE(open().status().message().find(error), absl::string_view::npos)
        << open().status() << "\nexpected " << error;
  }
  write("model.safetensors.index.json", R"({"weight_map":{"a":"1.safetensors","b":"2.safetensors"}})");
  write("2.safetensors", file(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 2));
  EXPECT_NE(open().status().message().find("tensor \"a\" is in"), absl::string_view::npos) << open().status();
}

} // namespace
