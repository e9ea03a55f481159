//===- blob.h - MIL blob storage v2 -----------------------------*- C++ -*-===//
//
// Weight files of MIL programs (coreml-mlprogram.md 2; the "BLOBFILE" of the
// private API is the same format). Little-endian, absolute offsets:
//
//   0    header   u32 count, u32 version = 2, 56 bytes zero
//   64   record   u32 sentinel 0xDEADBEEF, u32 dtype, u64 bytes, u64 offset of
//                 the payload, u64 unused bits of the last byte, 32 bytes zero
//   128  payload  row-major elements
//        zeros to the next multiple of 64, record, payload, ...
//
// MIL text names the position of a *record*: 64 for the first.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_BLOB_BLOB_H
#define ANE_RUNTIME_FORMAT_BLOB_BLOB_H

#include "absl/status/statusor.h"
#include "runtime/support/element_type.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/output_file.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ane::rt::blob {

inline constexpr uint64_t kAlignment = 64;
inline constexpr uint64_t kHeaderBytes = 64;
inline constexpr uint64_t kRecordBytes = 64;
inline constexpr uint32_t kVersion = 2;
inline constexpr uint32_t kSentinel = 0xDEADBEEF;

/// The dtype field of a record. Bool, 64-bit integers, fp64 and strings have
/// none; codes 16 and 17 (8-bit floats) have no ElementType.
std::optional<uint32_t> dtypeCode(ElementType type);
std::optional<ElementType> elementType(uint32_t dtypeCode);

/// Bytes of `elements` packed elements; nullopt on overflow.
std::optional<uint64_t> packedBytes(ElementType type, uint64_t elements);

/// One blob of a mapped file.
struct Blob {
  uint64_t position = 0; ///< of the record: what MIL text names
  ElementType type = ElementType::Float16;
  uint64_t bytes = 0;
  uint64_t offset = 0; ///< of the payload in the file
  uint32_t paddingBits = 0;
  /// The payload, inside the mapping. Files may place it at any alignment.
  const uint8_t *data = nullptr;
  uint64_t elements() const { return (bytes * 8 - paddingBits) / static_cast<uint64_t>(bitWidth(type)); }
};

/// Reads a blob file. The file is taken as hostile: every field is checked
/// against the size of the file before it is used.
class Reader {
public:
  static absl::StatusOr<Reader> open(const std::string &path);
  /// Keeps the file mapped; `name` is for messages.
  static absl::StatusOr<Reader> of(MappedFile file, std::string name);
  /// Over bytes that outlive the reader; `name` is for messages.
  static absl::StatusOr<Reader> fromBytes(const uint8_t *data, uint64_t size, std::string name);

  /// What the header says; reading by position does not depend on it.
  uint32_t count() const { return recordCount; }
  uint64_t fileSize() const { return size; }

  /// The blob whose record is at `position`. Records that are not 64-byte
  /// aligned are read as coremltools reads them; every other deviation is
  /// kInvalidArgument with the field, its value and the limit.
  absl::StatusOr<Blob> read(uint64_t position) const;

  /// All `count()` blobs, in file order.
  absl::StatusOr<std::vector<Blob>> readAll() const;

  /// For files of other writers, whose records may be wrong although the engine
  /// took them (ane-programming.md 3.3, 3.4): the caller knows type and number
  /// of elements from the MIL text. Takes these as the truth, a payload offset
  /// of 0 as "right behind the record", and says in `deviations` what the file
  /// has instead. Errors are left for what can't be read at all: no sentinel at
  /// `position`, or a payload beyond the end of the file.
  absl::StatusOr<Blob> readAs(uint64_t position, ElementType type, uint64_t elements,
                              std::vector<std::string> &deviations) const;

private:
  MappedFile file;
  const uint8_t *bytes = nullptr;
  uint64_t size = 0;
  std::string name;
  uint32_t recordCount = 0;
  uint32_t version = 0;

  struct Record;
  absl::Status error(uint64_t position, const std::string &what) const;
  absl::StatusOr<Record> recordAt(uint64_t position) const;
  absl::Status readHeader();
};

/// Writes a blob file in one pass, one payload after the other. The file
/// appears under its name when finish() succeeds.
class Writer {
public:
  /// Where the number of blobs is known before, the file is written from front
  /// to back and hashed on the way.
  static absl::StatusOr<Writer> create(const std::string &path, std::optional<uint32_t> blobs = std::nullopt);

  /// Starts a blob of `elements` elements and returns the position of its
  /// record. The payload follows through append(), packed if the type has less
  /// than 8 bits.
  absl::StatusOr<uint64_t> begin(ElementType type, uint64_t elements);
  absl::Status append(const void *data, uint64_t size);
  /// Checks that the payload is complete.
  absl::Status end();

  /// begin, append, end.
  absl::StatusOr<uint64_t> add(ElementType type, uint64_t elements, const void *data);

  /// Writes the count and renames the file. The writer is done then.
  absl::Status finish();
  /// Hash of the finished file; empty unless create() knew the number of blobs.
  std::string digest() { return file.digest(); }

  uint64_t size() const { return file.size(); }

private:
  Writer(OutputFile file, std::optional<uint32_t> expected) : file(std::move(file)), expected(expected) {}
  OutputFile file;
  std::optional<uint32_t> expected; ///< number of blobs, if known before
  uint32_t count = 0;
  bool open = false;
  uint64_t missing = 0; ///< bytes of the current payload
};

/// Packs elements (one byte each, two's complement) of a sub-byte type: element
/// i takes bits [i*w, (i+1)*w) from the least significant bit of byte 0.
std::vector<uint8_t> pack(ElementType type, const std::vector<int8_t> &values);
std::vector<int8_t> unpack(ElementType type, const uint8_t *data, uint64_t elements);

} // namespace ane::rt::blob

#endif // ANE_RUNTIME_FORMAT_BLOB_BLOB_H
