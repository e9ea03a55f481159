#include "runtime/format/blob/blob.h"
#include "runtime/support/hash.h"
#include "runtime/test/temporary_folder.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/resource.h>

using namespace ane::rt;
using namespace ane::rt::blob;

namespace {

/// A path in a folder that belongs to this run alone.
std::string temporary(const std::string &name) {
  static const test::TemporaryFolder folder;
  return folder.path(name);
}

std::string contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// No file of the tests' folder has `text` in its name.
void expectNothingNamed(const std::string &text) {
  for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::path(temporary("x")).parent_path()))
    EXPECT_EQ(entry.path().string().find(text), std::string::npos) << "left behind: " << entry.path();
}

/// More than a file keeps in memory while it is written.
constexpr uint64_t kManyBlocks = 5000001;

/// A file image that tests damage field by field.
struct Image {
  std::vector<uint8_t> bytes;

  explicit Image(uint32_t count = 1) : bytes(64) {
    put32(0, count);
    put32(4, 2);
  }
  void put32(size_t at, uint32_t value) { put(at, &value, 4); }
  void put64(size_t at, uint64_t value) { put(at, &value, 8); }
  void put(size_t at, const void *value, size_t size) {
    if (bytes.size() < at + size)
      bytes.resize(at + size);
    std::memcpy(bytes.data() + at, value, size);
  }
  Image &record(size_t at, uint32_t dtype, uint64_t size, uint64_t offset, uint64_t padding = 0) {
    put32(at, 0xDEADBEEF);
    put32(at + 4, dtype);
    put64(at + 8, size);
    put64(at + 16, offset);
    put64(at + 24, padding);
    if (bytes.size() < at + 64)
      bytes.resize(at + 64);
    return *this;
  }
  Image &payload(size_t size) {
    for (size_t i = 0; i < size; ++i)
      bytes.push_back(static_cast<uint8_t>(i + 1));
    return *this;
  }
  Reader reader() const { return *Reader::fromBytes(bytes.data(), bytes.size(), "w.bin"); }
  std::string error(uint64_t at = 64) const {
    absl::StatusOr<Blob> blob = reader().read(at);
    return blob.ok() ? "no error" : std::string(blob.status().message());
  }
};

TEST(BlobWriter, BytesOfTheFormat) {
  std::string path = temporary("blob_bytes.bin");
  absl::StatusOr<Writer> writer = Writer::create(path);
  ASSERT_TRUE(writer.ok()) << writer.status();
  const uint8_t half[] = {0x00, 0x3c, 0x00, 0x40, 0x00, 0x42};
  EXPECT_EQ(*writer->add(ElementType::Float16, 3, half), 64u);
  const uint8_t byte = 7;
  EXPECT_EQ(*writer->add(ElementType::Int8, 1, &byte), 192u);
  EXPECT_FALSE(std::filesystem::exists(path)); // not before it is complete
  ASSERT_TRUE(writer->finish().ok());

  Image expected(2);
  expected.record(64, 1, 6, 128);
  expected.put(128, half, 6);
  expected.record(192, 4, 1, 256);
  expected.put(256, &byte, 1); // the file ends right at the last payload byte
  std::string file = contents(path);
  EXPECT_EQ(std::vector<uint8_t>(file.begin(), file.end()), expected.bytes);
}

TEST(BlobWriter, EmptyFileIsAHeader) {
  std::string path = temporary("blob_empty.bin");
  ASSERT_TRUE(Writer::create(path)->finish().ok());
  EXPECT_EQ(std::filesystem::file_size(path), 64u);
  EXPECT_TRUE(Reader::open(path)->readAll()->empty());
}

TEST(BlobWriter, RoundTripOfEveryType) {
  std::string path = temporary("blob_types.bin");
  Writer writer = *Writer::create(path);
  std::vector<uint8_t> payload(400);
  for (size_t i = 0; i < payload.size(); ++i)
    payload[i] = static_cast<uint8_t>(i * 7);
  std::vector<std::pair<uint64_t, ElementType>> blobs;
  constexpr uint64_t kElements = 77;
  for (uint32_t code = 1; elementType(code); ++code)
    blobs.emplace_back(*writer.add(*elementType(code), kElements, payload.data()), *elementType(code));
  ASSERT_EQ(blobs.size(), 15u);
  ASSERT_TRUE(writer.finish().ok());
  Reader reader = *Reader::open(path);
  EXPECT_EQ(reader.count(), 15u);
  EXPECT_EQ(reader.readAll()->size(), 15u);
  for (auto [position, type] : blobs) {
    absl::StatusOr<Blob> blob = reader.read(position);
    ASSERT_TRUE(blob.ok()) << blob.status();
    EXPECT_EQ(blob->type, type);
    EXPECT_EQ(blob->elements(), kElements);
    EXPECT_EQ(blob->offset % 64, 0u);
    EXPECT_EQ(std::memcmp(blob->data, payload.data(), blob->bytes), 0);
    std::vector<std::string> deviations;
    EXPECT_TRUE(reader.readAs(position, type, kElements, deviations).ok());
    // The header counts all of them, so nothing deviates.
    EXPECT_TRUE(deviations.empty()) << deviations[0];
  }
}

TEST(BlobWriter, Misuse) {
  std::string path = temporary("blob_misuse.bin");
  {
    Writer writer = *Writer::create(path);
    EXPECT_NE(writer.begin(ElementType::Bool, 4).status().message().find("can't hold 4 elements of type bool"),
              std::string::npos);
    EXPECT_FALSE(writer.begin(ElementType::Float32, uint64_t(1) << 62).ok());
    EXPECT_FALSE(writer.append("x", 1).ok());
    ASSERT_TRUE(writer.begin(ElementType::Float32, 2).ok());
    EXPECT_FALSE(writer.begin(ElementType::Float32, 2).ok());
    EXPECT_TRUE(writer.append("12345678", 4).ok());
    EXPECT_FALSE(writer.end().ok());
    EXPECT_FALSE(writer.finish().ok());
    EXPECT_FALSE(writer.append("12345678", 5).ok());
  }
  expectNothingNamed("blob_misuse");
  EXPECT_FALSE(Writer::create("/nonexistent/w.bin").ok());
}

TEST(BlobWriter, FullDisk) {
  // With a limit on the size of files, writes fail as on a full disk.
  std::string path = temporary("blob_full.bin");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before, small;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 100;
  // The first blocks may be taken, but not the file.
  for (uint64_t bytes : {uint64_t(8), kManyBlocks}) {
    std::vector<char> payload(bytes);
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    absl::Status status;
    {
      absl::StatusOr<Writer> writer = Writer::create(path);
      ASSERT_TRUE(writer.ok()) << writer.status();
      status = writer->add(ElementType::Int8, bytes, payload.data()).status();
      if (status.ok())
        status = writer->finish();
    }
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_FALSE(status.ok());
    expectNothingNamed("blob_full");
  }
}

TEST(BlobWriter, HashesWhileItWrites) {
  std::vector<uint8_t> payload(kManyBlocks);
  for (size_t i = 0; i < payload.size(); ++i)
    payload[i] = static_cast<uint8_t>(i * i >> 7);
  auto write = [&](const std::string &path, std::optional<uint32_t> blobs) {
    Writer writer = *Writer::create(path, blobs);
    EXPECT_TRUE(writer.add(ElementType::Int8, 3, payload.data()).ok());
    EXPECT_TRUE(writer.begin(ElementType::UInt8, payload.size()).ok());
    for (size_t done = 0, part = 1; done < payload.size(); done += part) {
      part = std::min(payload.size() - done, 2 * part + 1);
      EXPECT_TRUE(writer.append(payload.data() + done, part).ok());
    }
    EXPECT_TRUE(writer.end().ok());
    EXPECT_TRUE(writer.finish().ok());
    return writer.digest();
  };
  std::string known = temporary("known.bin"), unknown = temporary("count.bin");
  std::string digest = write(known, 2);
  EXPECT_EQ(write(unknown, std::nullopt), "");
  std::string file = contents(known);
  EXPECT_EQ(file, contents(unknown));
  Hash hash;
  hash.update(file.data(), file.size());
  EXPECT_EQ(digest, hash.digest());
  Reader reader = *Reader::open(known);
  EXPECT_EQ(std::memcmp(reader.readAll()->back().data, payload.data(), payload.size()), 0);

  Writer other = *Writer::create(temporary("other.bin"), 2);
  EXPECT_TRUE(other.add(ElementType::Int8, 3, payload.data()).ok());
  EXPECT_EQ(other.finish().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(BlobPacking, ExamplesOfTheReference) {
  using Bytes = std::vector<uint8_t>;
  auto check = [](ElementType type, std::vector<int8_t> values, Bytes bytes) {
    EXPECT_EQ(pack(type, values), bytes) << milName(type);
    EXPECT_EQ(unpack(type, bytes.data(), values.size()), values) << milName(type);
  };
  check(ElementType::Int4, {-8, -1, 0, 1, 7}, {0xf8, 0x10, 0x07});
  check(ElementType::UInt3, {1, 2, 3, 4, 5}, {0xd1, 0x58});
  check(ElementType::UInt6, {1, 2, 63}, {0x81, 0xf0, 0x03});
  check(ElementType::UInt1, {1, 0, 0, 0, 0, 0, 0, 1, 1}, {0x81, 0x01});
  check(ElementType::UInt2, {0, 1, 2, 3, 1}, {0xe4, 0x01});
  check(ElementType::UInt4, {1, 2, 15}, {0x21, 0x0f});
}

TEST(BlobReader, Header) {
  auto error = [](const Image &image, size_t size) {
    absl::StatusOr<Reader> reader = Reader::fromBytes(image.bytes.data(), size, "w.bin");
    return reader.ok() ? "" : std::string(reader.status().message());
  };
  EXPECT_EQ(error(Image(), 63), "w.bin: a blob file has a header of 64 bytes, the file has 63 "
                                "bytes");
  EXPECT_EQ(error(Image(), 64), "");
  Image old;
  old.put32(4, 1);
  EXPECT_EQ(old.error(), "w.bin: blob file version 1, supported is 2");
  EXPECT_FALSE(Reader::open(temporary("nowhere.bin")).ok());
  EXPECT_FALSE(Reader::open("/dev/null").ok());
}

TEST(BlobReader, RecordErrors) {
  EXPECT_EQ(Image().error(64), "w.bin: blob at 64: a record has 64 bytes, the file ends at 64");
  EXPECT_EQ(Image().error(~uint64_t(0)), "w.bin: blob at 18446744073709551615: a record has 64 bytes, the "
                                         "file ends at 64");
  EXPECT_EQ(Image().error(0), "w.bin: blob at 0: records start at 64");
  Image good;
  good.record(64, 1, 64, 128).payload(64);
  EXPECT_EQ(good.error(), "no error");
  EXPECT_EQ(good.error(128), "w.bin: blob at 128: no record: sentinel is 0x4030201, expected "
                             "0xdeadbeef; the offset names a record, not its data");
  struct Case {
    uint32_t dtype;
    uint64_t bytes, offset, padding;
    const char *error;
  };
  for (const Case &c : std::initializer_list<Case>{
           {0, 64, 128, 0, "unknown dtype 0"},
           {99, 64, 128, 0, "unknown dtype 99"},
           {1, 66, 128, 0,
            "payload of 66 bytes at 128 is not in the file, which has 192 "
            "bytes"},
           {1, 64, 0, 0, "payload of 64 bytes at 0 is not in the file"},
           {1, 64, 1000, 0, "is not in the file"},
           {1, ~uint64_t(0), 128, 0, "is not in the file"},
           {1, 64, ~uint64_t(0) - 8, 0, "is not in the file"},
           {1, 63, 128, 0, "is no whole number of fp16 elements"},
           {1, 64, 128, 4, "4 padding bits in a blob of fp16"},
           {8, 64, 128, 2, "is no whole number of int4 elements"},
           {9, 64, 128, 8, "8 padding bits in a blob of uint1"},
           {9, 0, 128, 1, "1 padding bits in a blob of uint1"},
       }) {
    Image image;
    image.record(64, c.dtype, c.bytes, c.offset, c.padding).payload(64);
    EXPECT_NE(image.error().find(c.error), std::string::npos) << image.error();
  }
}

TEST(BlobReader, UnalignedRecordIsRead) {
  Image image;
  image.bytes.resize(66);
  image.record(66, 4, 3, 130).payload(3);
  absl::StatusOr<Blob> blob = image.reader().read(66);
  ASSERT_TRUE(blob.ok()) << blob.status();
  EXPECT_EQ(blob->data[2], 3);
}

TEST(BlobReader, ReadAllStopsAtBackwardPayload) {
  Image image(1000000);
  image.record(64, 4, 0, 64);
  absl::StatusOr<std::vector<Blob>> blobs = image.reader().readAll();
  ASSERT_FALSE(blobs.ok());
  EXPECT_NE(blobs.status().message().find("lies before the end of its record"), std::string::npos);
}

using Deviations = std::vector<std::string>;

TEST(BlobReader, TolerantOfHardCodedSize) {
  // dtype 1, byte 10 = 0x08, no size, no offset (ane-programming.md 3.4).
  Image image;
  image.record(64, 1, 0x00080000, 0).payload(32);
  Deviations deviations;
  absl::StatusOr<Blob> blob = image.reader().readAs(64, ElementType::Float16, 16, deviations);
  ASSERT_TRUE(blob.ok()) << blob.status();
  EXPECT_EQ(blob->offset, 128u);
  EXPECT_EQ(blob->bytes, 32u);
  EXPECT_EQ(blob->data[0], 1);
  EXPECT_EQ(deviations, (Deviations{"w.bin: blob at 64: size is 524288 bytes, expected 32",
                                    "w.bin: blob at 64: payload offset is 0, took 128"}));
  EXPECT_FALSE(image.reader().readAs(64, ElementType::Float16, 17, deviations).ok());
}

TEST(BlobReader, TolerantOfWrongTypeAndCount) {
  // fp16 in front of int8 data; second record packed without alignment while
  // the header still counts one (ane-programming.md 3.3).
  Image image(1);
  image.record(64, 1, 10, 128).payload(10);
  image.record(138, 1, 5, 202).payload(5);
  Deviations deviations;
  ASSERT_TRUE(image.reader().readAs(64, ElementType::Int8, 10, deviations).ok());
  EXPECT_EQ(deviations, (Deviations{"w.bin: blob at 64: dtype is 1 (fp16), expected 4 (int8)"}));
  deviations.clear();
  ASSERT_TRUE(image.reader().readAs(138, ElementType::Int8, 5, deviations).ok());
  EXPECT_EQ(deviations, (Deviations{"w.bin: blob at 138: the header counts 1 records",
                                    "w.bin: blob at 138: record is not aligned to 64 bytes",
                                    "w.bin: blob at 138: dtype is 1 (fp16), expected 4 (int8)",
                                    "w.bin: blob at 138: payload at 202 is not aligned to 64 bytes"}));
}

TEST(BlobReader, TolerantStillNeedsARecord) {
  Image image;
  image.bytes.resize(256);
  Deviations deviations;
  EXPECT_FALSE(image.reader().readAs(64, ElementType::Float16, 1, deviations).ok());
  EXPECT_FALSE(image.reader().readAs(64, ElementType::Float16, ~uint64_t(0), deviations).ok());
  EXPECT_FALSE(image.reader().readAs(64, ElementType::Bool, 1, deviations).ok());
}

} // namespace
