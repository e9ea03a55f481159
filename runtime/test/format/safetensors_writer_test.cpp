#include "runtime/format/safetensors/safetensors.h"
#include "runtime/format/safetensors/writer.h"
#include "runtime/support/hash.h"
#include "runtime/test/temporary_folder.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>

using namespace ane::rt;
using namespace ane::rt::safetensors;

namespace {

std::string contentOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(SafetensorsWriter, TheReaderSeesWhatWasWritten) {
  test::TemporaryFolder folder;
  std::string path = folder.path("m.safetensors");
  // Longer than a block of the file, so that a thread writes it.
  std::vector<float> large(1 << 17);
  for (size_t i = 0; i < large.size(); ++i)
    large[i] = static_cast<float>(i) * 0.5f;
  const uint16_t half = 0x3c00;
  auto writer = Writer::create(path,
                               {{"z", ElementType::Float32, {2, 1 << 16}},
                                {"a/\"b\"\xc3\xa9", ElementType::Float16, {}},
                                {"none", ElementType::Int64, {0, 7}}},
                               {{"format", "pt"}});
  ASSERT_TRUE(writer.ok()) << writer.status();
  ASSERT_TRUE(writer->write(large.data(), 12).ok());
  ASSERT_TRUE(writer->write(large.data() + 3, large.size() * 4 - 12).ok());
  ASSERT_TRUE(writer->write(&half, 2).ok());
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(writer->commit().ok());

  auto checkpoint = Checkpoint::open(path);
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.status();
  ASSERT_EQ(checkpoint->tensors().size(), 3u);
  const Tensor *z = checkpoint->tensor("z");
  EXPECT_EQ(z->describe(), "float32[2, 65536]");
  EXPECT_EQ(z->offset % 8, 0u);
  EXPECT_EQ(std::memcmp(z->data, large.data(), z->bytes), 0);
  EXPECT_EQ(std::memcmp(checkpoint->tensor("a/\"b\"\xc3\xa9")->data, &half, 2), 0);
  EXPECT_EQ(checkpoint->tensor("none")->describe(), "int64[0, 7]");
  std::string content = contentOf(path);
  std::map<std::string, std::string> metadata;
  ASSERT_TRUE(parse(reinterpret_cast<const uint8_t *>(content.data()), content.size(), path, &metadata).ok());
  EXPECT_EQ(metadata.at("format"), "pt");
  Hash hash;
  hash.update(content.data(), content.size());
  EXPECT_EQ(writer->digest(), hash.digest());
}

TEST(SafetensorsWriter, NoTensorsAreAFile) {
  test::TemporaryFolder folder;
  std::string path = folder.path("m.safetensors");
  auto writer = Writer::create(path, {});
  ASSERT_TRUE(writer.ok() && writer->commit().ok());
  EXPECT_TRUE(Checkpoint::open(path).ok()) << Checkpoint::open(path).status();
}

TEST(SafetensorsWriter, RefusesWhatTheFormatHasNot) {
  test::TemporaryFolder folder;
  std::string path = folder.path("m.safetensors");
  auto expect = [&](const std::vector<TensorRecord> &tensors, const char *says) {
    absl::Status status = Writer::create(path, tensors).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
    EXPECT_NE(status.message().find(says), absl::string_view::npos) << status << "\nexpected " << says;
    EXPECT_NE(status.message().find(path), absl::string_view::npos) << status;
  };
  auto f32 = ElementType::Float32;
  expect({{"w", f32, {1}}, {"w", f32, {2}}}, "tensor \"w\" occurs twice");
  expect({{"", f32, {1}}}, "tensor \"\" can't have this name");
  expect({{"__metadata__", f32, {1}}}, "tensor \"__metadata__\" can't have this name");
  expect({{"w", ElementType::UInt4, {1}}}, "tensor \"w\" is uint4, which safetensors files don't have");
  expect({{"w", f32, {2, -1}}}, "tensor \"w\" has an axis of -1");
  expect({{"w", f32, std::vector<int64_t>(65, 1)}}, "tensor \"w\" has rank 65, limit 64");
  expect({{"w", f32, {int64_t(1) << 40, int64_t(1) << 40}}}, "tensor \"w\" ends beyond");
  expect({{"v", f32, {int64_t(1) << 60}}, {"w", f32, {int64_t(1) << 60}}}, "tensor \"w\" ends beyond");
  expect({{"\xff", f32, {1}}}, "a name is not UTF-8");
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(SafetensorsWriter, HasAllBytesOrNoFile) {
  test::TemporaryFolder folder;
  std::string path = folder.path("m.safetensors");
  for (uint64_t bytes : {7, 9}) {
    auto writer = Writer::create(path, {{"w", ElementType::Float32, {2}}});
    ASSERT_TRUE(writer.ok() && writer->write("123456789", bytes).ok());
    absl::Status status = writer->commit();
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

} // namespace
