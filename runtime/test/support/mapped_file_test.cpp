//===- mapped_file_test.cpp - Mappings that are changed -------------------===//

#include "runtime/support/folder.h"
#include "runtime/support/mapped_file.h"
#include "runtime/test/temporary_folder.h"

#include <fstream>
#include <gtest/gtest.h>

namespace ane::rt {
namespace {

constexpr uint64_t kBytes = 3 << 20;

uint8_t byteAt(uint64_t offset) { return static_cast<uint8_t>(offset * 7 % 251 + 1); } // none is 0

MappedFile mapCopy(const Folder &folder) {
  return *MappedFile::mapCopy(folder.openFile("file")->descriptor.get(), "file");
}

/// Whatever range is forgotten, what stands around it stays, in the mapping and in the file.
TEST(MappedFile, ForgetsNothingAround) {
  test::TemporaryFolder files;
  {
    std::ofstream file(files.path("file"), std::ios::binary);
    for (uint64_t i = 0; i < kBytes; ++i)
      file.put(static_cast<char>(byteAt(i)));
  }
  Folder folder = *Folder::open(files.path("."));
  for (auto [offset, size] : {std::pair<uint64_t, uint64_t>{0, kBytes},
                              {0, 1 << 20},
                              {4095, (1 << 20) + 2},
                              {5000, 0},
                              {4096, 1 << 20},
                              {12345, 2000000},
                              {kBytes - 300000, 300000},
                              {64, 4000}}) {
    MappedFile changed = mapCopy(folder), other = mapCopy(folder);
    changed.forget(offset, size);
    for (uint64_t i = 0; i < size; ++i)
      changed.mutableData()[offset + i] = 0;
    for (uint64_t i = 0; i < kBytes; ++i) {
      bool isInside = i >= offset && i - offset < size;
      ASSERT_EQ(changed.data()[i], isInside ? 0 : byteAt(i)) << i << " of " << size << " at " << offset;
      ASSERT_EQ(other.data()[i], byteAt(i));
    }
  }
}

#if defined(__linux__)
TEST(MappedFile, ForgetsLargeRanges) {
  test::TemporaryFolder files;
  std::ofstream(files.path("file"), std::ios::binary) << std::string(kBytes, 'x');
  MappedFile changed = mapCopy(*Folder::open(files.path(".")));
  changed.forget(0, kBytes);
  EXPECT_EQ(changed.data()[0], 0); // else a set weight costs a read of the old one
  EXPECT_EQ(changed.data()[kBytes - 4097], 0);
}
#endif

} // namespace
} // namespace ane::rt
