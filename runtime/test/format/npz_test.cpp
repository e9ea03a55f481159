#include "runtime/format/npz/npz.h"
#include "runtime/test/temporary_folder.h"

#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <zip.h>

using namespace ane::rt;
using namespace ane::rt::npz;

namespace {

/// A .npy file of float32 elements 0, 1, 2 ...
std::string floats(const std::string &shape, size_t count) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.append(63 - (10 + header.size()) % 64 + 1, ' ');
  header.back() = '\n';
  std::string bytes("\x93NUMPY\1\0", 8);
  bytes += {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  bytes += header;
  for (size_t i = 0; i < count; ++i) {
    float value = static_cast<float>(i);
    bytes.append(reinterpret_cast<const char *>(&value), 4);
  }
  return bytes;
}

struct Member {
  std::string name, bytes;
  int method = ZIP_CM_DEFLATE;
  bool isEncrypted = false;
};

class Npz : public testing::Test {
protected:
  test::TemporaryFolder folder;
  std::string path = folder.path("d.npz");

  void write(const std::vector<Member> &members) {
    int error = 0;
    zip_t *zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
    ASSERT_NE(zip, nullptr) << error;
    for (const Member &member : members) {
      zip_source_t *source = zip_source_buffer(zip, member.bytes.data(), member.bytes.size(), 0);
      zip_int64_t index = zip_file_add(zip, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
      ASSERT_GE(index, 0) << zip_strerror(zip);
      ASSERT_EQ(zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), member.method, 0), 0);
      if (member.isEncrypted)
        ASSERT_EQ(zip_file_set_encryption(zip, static_cast<zip_uint64_t>(index), ZIP_EM_AES_128, "secret"), 0);
    }
    ASSERT_EQ(zip_close(zip), 0) << zip_strerror(zip);
  }
  std::string content() const {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void overwrite(const std::string &bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  /// The error of opening the file and reading array x.
  absl::Status error(int64_t memory = 1 << 30) const {
    auto archive = Archive::open(path);
    if (!archive.ok())
      return archive.status();
    MemoryBudget budget(memory);
    return archive->read("x", budget).status();
  }
  void expectError(const char *says, int64_t memory = 1 << 30) const {
    absl::Status status = error(memory);
    EXPECT_NE(status.message().find(says), absl::string_view::npos) << status << "\nexpected " << says;
    EXPECT_NE(status.message().find(path), absl::string_view::npos) << status;
  }
};

TEST_F(Npz, ArraysAreRead) {
  // Larger than what is read ahead for the header.
  write({{"x.npy", floats("100, 100", 10000)}, {"y.npy", floats("3,", 3), ZIP_CM_STORE}, {"s.npy", floats("", 1)}});
  auto archive = Archive::open(path);
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_EQ(archive->names(), (std::vector<std::string>{"x", "y", "s"}));
  auto header = archive->header("x");
  ASSERT_TRUE(header.ok()) << header.status();
  EXPECT_EQ(header->shape, (std::vector<int64_t>{100, 100}));
  EXPECT_EQ(header->dataBytes, 40000u);
  MemoryBudget budget(40016);
  for (const char *name : {"x", "y", "s"}) {
    auto array = archive->read(name, budget);
    ASSERT_TRUE(array.ok()) << array.status();
    for (int64_t i = 0; i < array->elements(); ++i) {
      float value;
      std::memcpy(&value, array->data.data() + 4 * i, 4);
      ASSERT_EQ(value, static_cast<float>(i));
    }
  }
  EXPECT_TRUE(absl::IsResourceExhausted(archive->read("s", budget).status()));
}

TEST_F(Npz, WhatIsMissingIsNamed) {
  write({{"y.npy", floats("3,", 3)}});
  EXPECT_TRUE(absl::IsNotFound(error())) << error();
  expectError("has no array \"x\"; it has \"y\"");
  write({{"x.npy", floats("3,", 3)}, {"x", "text"}});
  expectError("array \"x\" occurs twice");
  write({{"x.npy", "text"}});
  expectError("array \"x\": not a .npy file");
  write({{"x.npy", floats("3,", 2)}});
  expectError("float32[3] takes 12 bytes, the file has 8");
  write({{"x.npy", floats("3,", 3), ZIP_CM_BZIP2}});
  expectError("is packed by method 12; save it with numpy.savez");
  write({{"x.npy", floats("3,", 3), ZIP_CM_DEFLATE, true}});
  expectError("is encrypted");
}

TEST_F(Npz, MemoryIsBounded) {
  write({{"x.npy", floats("1000000,", 1000000)}});
  expectError("array \"x\": needs 4000000 bytes, 1000000 of 1000000 are left", 1000000);
}

TEST_F(Npz, DamageIsFound) {
  overwrite("");
  expectError("is no .npz file: it is empty");
  write({{"x.npy", floats("4000,", 4000), ZIP_CM_STORE}});
  std::string good = content();
  overwrite(good.substr(0, good.size() / 2));
  expectError("is no .npz file, or is damaged or cut off");
  std::string changed = good;
  changed[good.size() / 2] ^= 1;
  overwrite(changed);
  expectError("array \"x\": CRC error; the file is damaged");
  // The size in the archive's directory, of a file that would be a thousand times as large.
  size_t directory = good.rfind("PK\1\2");
  ASSERT_NE(directory, std::string::npos);
  changed = good;
  changed[directory + 27] = 0x10;
  overwrite(changed);
  expectError("which is more than can be; the file is damaged");
}

} // namespace
