#include "runtime/format/npy/npy.h"
#include "runtime/test/temporary_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace ane::rt;
using namespace ane::rt::npy;

namespace {

/// A path in a folder that belongs to this run alone.
std::string temporary(const std::string &name) {
  static const test::TemporaryFolder folder;
  return folder.path(name);
}

std::string file(const std::string &header, const std::string &data, char version = 1) {
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  size_t size = header.size();
  bytes += static_cast<char>(size & 0xff);
  bytes += static_cast<char>(size >> 8);
  if (version > 1)
    bytes += std::string(2, '\0');
  return bytes + header + data;
}

absl::StatusOr<Array> parseText(const std::string &bytes) {
  return parse(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size(), "x.npy");
}

std::string errorOf(const std::string &bytes) {
  absl::StatusOr<Array> array = parseText(bytes);
  return array.ok() ? "no error" : std::string(array.status().message());
}

std::string header(const std::string &descr, const std::string &shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
}

TEST(Npy, Versions) {
  for (char version : {1, 2, 3}) {
    absl::StatusOr<Array> array = parseText(file(header("<i2", "(2, 1)"), "abcd", version));
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->type, ElementType::Int16);
    EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 1}));
    EXPECT_EQ(array->data.size(), 4u);
    EXPECT_EQ(array->elements(), 2);
  }
}

TEST(Npy, HeaderSpellings) {
  EXPECT_EQ(errorOf(file("{\"shape\":(),\"fortran_order\":True,\"descr\":\"|u1\"}", "x")), "no error");
  EXPECT_EQ(errorOf(file(header("<f8", "(0L, 5L)"), "")), "no error");
  EXPECT_EQ(parseText(file(header("|b1", "(3,)"), std::string("\0\1\7", 3)))->data, (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Npy, RoundTrip) {
  std::string path = temporary("round.npy");
  for (ElementType type : {ElementType::Bool, ElementType::Int8, ElementType::UInt16, ElementType::Float16,
                           ElementType::Float32, ElementType::Int64, ElementType::Float64})
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{{}, {3}, {2, 3, 1}, {0, 4}}) {
      Array array{type, shape, {}};
      for (int64_t i = 0; i < array.elements() * byteWidth(type); ++i)
        array.data.push_back(i % 2);
      ASSERT_TRUE(write(path, type, shape, array.data.data()).ok());
      absl::StatusOr<Array> back = read(path);
      ASSERT_TRUE(back.ok()) << back.status();
      EXPECT_EQ(back->describe(), array.describe());
      EXPECT_EQ(back->data, array.data);
      EXPECT_EQ((std::filesystem::file_size(path) - array.data.size()) % 64, 0u);
    }
}

TEST(Npy, Errors) {
  struct Case {
    std::string bytes, error;
  };
  for (const Case &c : std::vector<Case>{
           {"", "x.npy: not a .npy file"},
           {"PK\3\4 an archive", "x.npy: not a .npy file"},
           {file(header("<f4", "()"), "1234", 4), "x.npy: .npy version 4 is not supported; supported are 1 to 3"},
           {file("{", ""), "x.npy: malformed header"},
           {file(header("<f4", "(2,"), ""), "malformed header"},
           {file(header("<f4", "(-1,)"), ""), "malformed header"},
           {file(header("<f4", "(99999999999999999999,)"), ""), "malformed header"},
           {file("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, "
                 "'shape': ()}",
                 "1234"),
            "malformed header"},
           {file("{'descr': '<f4', 'shape': ()}", "1234"), "malformed header"},
           {file(header("<f4", "()") + "x", "1234"), "malformed header"},
           {file(header(">f4", "()"), "1234"), "element type '>f4' is big-endian"},
           {file(header("|O", "()"), "1234"), "element type '|O' is not supported; supported are bool"},
           {file(header("<c8", "()"), "12345678"), "'<c8' is not supported"},
           {file("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': "
                 "()}",
                 "1234"),
            "malformed header"},
           {file(header("<f4", "(2, 3)"), "1234"), "x.npy: float32[2, 3] takes 24 bytes, the file has 4"},
           {file(header("<f4", "(1,)"), "12345"), "takes 4 bytes, the file has 5"},
           {file(header("<f4", "(4294967296, 4294967296)"), ""), "takes more than 2^63 bytes"},
           {file(header("<f4", "(4294967296, 4294967296, 0)"), "1"), "takes more than 2^63 bytes"},
           {"\x93NUMPY\x02" + std::string("\0\xff\xff\xff\xff", 5), "header of 4294967295 bytes, limit 10000"},
           {"\x93NUMPY\x01" + std::string("\0\x20\0{", 4), "file ends inside the header"},
           {file("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}", "1234"),
            "array is in Fortran order; save numpy.ascontiguousarray(a)"},
       })
    EXPECT_NE(errorOf(c.bytes).find(c.error), std::string::npos) << errorOf(c.bytes) << "\nexpected: " << c.error;
}

TEST(Npy, Expect) {
  Array array{ElementType::Float32, {1, 3}, {}};
  EXPECT_TRUE(expect(array, ElementType::Float32, {1, 3}, "input 'x'").ok());
  EXPECT_EQ(expect(array, ElementType::Float16, {3}, "input 'x'").message(),
            "input 'x' is float32[1, 3], expected float16[3]");
}

TEST(Npy, Files) {
  EXPECT_EQ(read(temporary("nowhere.npy")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(write("/nonexistent/x.npy", ElementType::Int8, {}, "x").ok());
  EXPECT_FALSE(write(temporary("x.npy"), ElementType::Int4, {2}, "x").ok());
}

} // namespace
