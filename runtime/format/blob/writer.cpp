//===- writer.cpp - Writes blob files -------------------------------------===//
#include "runtime/format/blob/blob.h"
#include "runtime/format/blob/layout.h"

#include "absl/strings/str_cat.h"

namespace ane::rt::blob {

absl::StatusOr<Writer> Writer::create(const std::string &path, std::optional<uint32_t> blobs) {
  absl::StatusOr<OutputFile> file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  if (blobs)
    file->startHash();
  FileHeader header = {};
  header.count = blobs.value_or(0);
  header.version = kVersion;
  if (absl::Status status = file->write(&header, sizeof(header)); !status.ok())
    return status;
  return Writer(*std::move(file), blobs);
}

absl::StatusOr<uint64_t> Writer::begin(ElementType type, uint64_t elements) {
  std::optional<uint32_t> code = dtypeCode(type);
  std::optional<uint64_t> bytes = packedBytes(type, elements);
  if (!code || !bytes)
    return absl::InvalidArgumentError(absl::StrCat(file.path(), ": a blob can't hold ", elements, " elements of type ",
                                                   std::string(milName(type)),
                                                   "; keep them inline in the program or convert them"));
  if (open)
    return absl::FailedPreconditionError(absl::StrCat(file.path(),
                                                      ": a blob is begun before the last has all "
                                                      "its bytes; missing are ",
                                                      missing));
  // Padding stands before a record, never behind the last payload.
  static constexpr char kZeros[kAlignment] = {};
  uint64_t padding = (kAlignment - file.size() % kAlignment) % kAlignment;
  if (absl::Status status = file.write(kZeros, padding); !status.ok())
    return status;
  uint64_t position = file.size();
  FileRecord record = {};
  record.sentinel = kSentinel;
  record.dtype = *code;
  record.bytes = *bytes;
  record.offset = position + kRecordBytes;
  record.paddingBits = *bytes * 8 - elements * uint64_t(bitWidth(type));
  if (absl::Status status = file.write(&record, sizeof(record)); !status.ok())
    return status;
  missing = *bytes;
  open = true;
  return position;
}

absl::Status Writer::append(const void *data, uint64_t size) {
  if (!open || size > missing)
    return absl::OutOfRangeError(absl::StrCat(file.path(), ": ", size,
                                              " bytes for a blob that has room "
                                              "for ",
                                              open ? missing : 0));
  missing -= size;
  return file.write(data, size);
}

absl::Status Writer::end() {
  if (!open || missing != 0)
    return absl::FailedPreconditionError(absl::StrCat(file.path(), ": a blob ends with ", missing, " bytes missing"));
  open = false;
  ++count;
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> Writer::add(ElementType type, uint64_t elements, const void *data) {
  absl::StatusOr<uint64_t> position = begin(type, elements);
  if (!position.ok())
    return position;
  if (absl::Status status = append(data, missing); !status.ok())
    return status;
  if (absl::Status status = end(); !status.ok())
    return status;
  return position;
}

absl::Status Writer::finish() {
  if (open)
    return absl::FailedPreconditionError(absl::StrCat(file.path(), ": the last blob misses ", missing, " bytes"));
  if (expected && *expected != count)
    return absl::FailedPreconditionError(
        absl::StrCat(file.path(), ": has ", count, " blobs, was created for ", *expected));
  if (expected)
    return file.commit();
  if (absl::Status status = file.rewrite(0, &count, sizeof(count)); !status.ok())
    return status;
  return file.commit();
}

} // namespace ane::rt::blob
