//===- reader.cpp - Reads blob files --------------------------------------===//
#include "runtime/format/blob/blob.h"
#include "runtime/format/blob/layout.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace ane::rt::blob {
namespace {

std::string typeOfCode(uint32_t code) {
  std::optional<ElementType> type = elementType(code);
  return absl::StrCat(code, " (", type ? std::string(milName(*type)) : "unknown", ")");
}

} // namespace

struct Reader::Record : FileRecord {};

absl::Status Reader::error(uint64_t position, const std::string &what) const {
  return absl::InvalidArgumentError(absl::StrCat(name, ": blob at ", position, ": ", what));
}

absl::Status Reader::readHeader() {
  if (size < kHeaderBytes)
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": a blob file has a header of ", kHeaderBytes, " bytes, the file has ", size, " bytes"));
  FileHeader header;
  std::memcpy(&header, bytes, sizeof(header));
  recordCount = header.count;
  version = header.version;
  return absl::OkStatus();
}

absl::StatusOr<Reader> Reader::open(const std::string &path) {
  absl::StatusOr<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  return of(*std::move(file), path);
}

absl::StatusOr<Reader> Reader::of(MappedFile file, std::string name) {
  absl::StatusOr<Reader> reader = fromBytes(file.data(), file.size(), std::move(name));
  if (reader.ok())
    reader->file = std::move(file);
  return reader;
}

absl::StatusOr<Reader> Reader::fromBytes(const uint8_t *data, uint64_t size, std::string name) {
  Reader reader;
  reader.bytes = data;
  reader.size = size;
  reader.name = std::move(name);
  if (absl::Status status = reader.readHeader(); !status.ok())
    return status;
  return reader;
}

absl::StatusOr<Reader::Record> Reader::recordAt(uint64_t position) const {
  if (position < kHeaderBytes)
    return error(position, absl::StrCat("records start at ", kHeaderBytes));
  if (position > size || size - position < kRecordBytes)
    return error(position, absl::StrCat("a record has ", kRecordBytes, " bytes, the file ends at ", size));
  Record record;
  std::memcpy(&record, bytes + position, sizeof(FileRecord));
  if (record.sentinel != kSentinel)
    return error(position, absl::StrCat("no record: sentinel is 0x", absl::Hex(record.sentinel), ", expected 0x",
                                        absl::Hex(kSentinel), "; the offset names a record, not its data"));
  return record;
}

absl::StatusOr<Blob> Reader::read(uint64_t position) const {
  if (version != kVersion)
    return absl::InvalidArgumentError(absl::StrCat(name, ": blob file version ", version, ", supported is ", kVersion));
  absl::StatusOr<Record> record = recordAt(position);
  if (!record.ok())
    return record.status();
  std::optional<ElementType> type = elementType(record->dtype);
  if (!type)
    return error(position, absl::StrCat("unknown dtype ", record->dtype));
  if (record->offset < kHeaderBytes || record->offset > size || record->bytes > size - record->offset)
    return error(position, absl::StrCat("payload of ", record->bytes, " bytes at ", record->offset,
                                        " is not in the file, which has ", size, " bytes"));
  uint64_t width = static_cast<uint64_t>(bitWidth(*type));
  if (record->paddingBits > 7 || (width >= 8 && record->paddingBits != 0) ||
      (record->bytes == 0 && record->paddingBits != 0))
    return error(position,
                 absl::StrCat(record->paddingBits, " padding bits in a blob of ", std::string(milName(*type))));
  // The file holds the payload, so bytes * 8 does not overflow.
  if ((record->bytes * 8 - record->paddingBits) % width != 0)
    return error(position, absl::StrCat("payload of ", record->bytes, " bytes less ", record->paddingBits,
                                        " bits is no whole number of ", std::string(milName(*type)), " elements"));
  Blob blob;
  blob.position = position;
  blob.type = *type;
  blob.bytes = record->bytes;
  blob.offset = record->offset;
  blob.paddingBits = static_cast<uint32_t>(record->paddingBits);
  blob.data = bytes + record->offset;
  return blob;
}

absl::StatusOr<std::vector<Blob>> Reader::readAll() const {
  std::vector<Blob> blobs;
  uint64_t position = kHeaderBytes;
  for (uint32_t i = 0; i < recordCount; ++i) {
    absl::StatusOr<Blob> blob = read(position);
    if (!blob.ok())
      return blob.status();
    // Payloads that lie before their record would make the walk endless.
    if (blob->offset < position + kRecordBytes)
      return error(position, absl::StrCat("payload at ", blob->offset, " lies before the end of its record"));
    blobs.push_back(*blob);
    position = (blob->offset + blob->bytes + kAlignment - 1) / kAlignment * kAlignment;
  }
  return blobs;
}

absl::StatusOr<Blob> Reader::readAs(uint64_t position, ElementType type, uint64_t elements,
                                    std::vector<std::string> &deviations) const {
  auto deviation = [&](const auto &...parts) {
    deviations.push_back(absl::StrCat(name, ": blob at ", position, ": ", parts...));
  };
  std::optional<uint32_t> code = dtypeCode(type);
  std::optional<uint64_t> wanted = packedBytes(type, elements);
  if (!code || !wanted)
    return error(position, absl::StrCat("a blob can't hold ", elements, " elements of ", std::string(milName(type))));
  absl::StatusOr<Record> record = recordAt(position);
  if (!record.ok())
    return record.status();
  if (version != kVersion)
    deviation("file version is ", version, ", expected ", kVersion);
  if (recordCount == 0 || (recordCount == 1 && position != kHeaderBytes))
    deviation("the header counts ", recordCount, " records");
  if (position % kAlignment != 0)
    deviation("record is not aligned to ", kAlignment, " bytes");
  if (record->dtype != *code)
    deviation("dtype is ", typeOfCode(record->dtype), ", expected ", typeOfCode(*code));
  if (record->bytes != *wanted)
    deviation("size is ", record->bytes, " bytes, expected ", *wanted);
  uint64_t padding = *wanted * 8 - elements * uint64_t(bitWidth(type));
  if (record->paddingBits != padding)
    deviation("padding is ", record->paddingBits, " bits, expected ", padding);
  uint64_t offset = record->offset;
  if (offset == 0) {
    offset = position + kRecordBytes;
    deviation("payload offset is 0, took ", offset);
  } else if (offset % kAlignment != 0) {
    deviation("payload at ", offset, " is not aligned to ", kAlignment, " bytes");
  }
  if (offset > size || *wanted > size - offset)
    return error(position, absl::StrCat("payload of ", *wanted, " bytes at ", offset,
                                        " ends after the file, which "
                                        "has ",
                                        size, " bytes"));
  Blob blob;
  blob.position = position;
  blob.type = type;
  blob.bytes = *wanted;
  blob.offset = offset;
  blob.paddingBits = static_cast<uint32_t>(padding);
  blob.data = bytes + offset;
  return blob;
}

} // namespace ane::rt::blob
