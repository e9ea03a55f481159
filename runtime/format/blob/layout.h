//===- layout.h - Header and record of a blob file --------------*- C++ -*-===//
#ifndef ANE_RUNTIME_FORMAT_BLOB_LAYOUT_H
#define ANE_RUNTIME_FORMAT_BLOB_LAYOUT_H

#include <cstdint>

// The structs below are the bytes of the file.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "blob files are little-endian");

namespace ane::rt::blob {

struct FileHeader {
  uint32_t count;
  uint32_t version;
  uint64_t reserved[7];
};
static_assert(sizeof(FileHeader) == 64);

struct FileRecord {
  uint32_t sentinel;
  uint32_t dtype;
  uint64_t bytes;
  uint64_t offset;
  uint64_t paddingBits;
  uint64_t reserved[4];
};
static_assert(sizeof(FileRecord) == 64);

} // namespace ane::rt::blob

#endif // ANE_RUNTIME_FORMAT_BLOB_LAYOUT_H
