//===- output_file.cpp - A file that appears only when complete -----------===//
#include "runtime/support/output_file.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace ane::rt {
namespace {

absl::Status errnoError(const char *action, const std::string &path) {
  return absl::ErrnoToStatus(errno, absl::StrCat("cannot ", action, " ", path));
}

} // namespace

absl::StatusOr<OutputFile> OutputFile::create(const std::string &path) {
  OutputFile file;
  file.finalPath = path;
  file.temporaryPath = absl::StrCat(path, ".partial-", getpid());
  file.fd = ::open(file.temporaryPath.c_str(),
                   O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file.fd < 0)
    return errnoError("create", path);
  return file;
}

OutputFile::~OutputFile() {
  if (fd < 0)
    return;
  ::close(fd);
  ::unlink(temporaryPath.c_str());
}

absl::Status OutputFile::writeAt(uint64_t position, const void *data,
                                 uint64_t size) {
  // write(2) takes less than 2 GiB at a time on some systems.
  constexpr uint64_t kChunk = uint64_t(1) << 30;
  const char *bytes = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t written = ::pwrite(fd, bytes, std::min(size, kChunk),
                               static_cast<off_t>(position));
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errnoError("write", finalPath);
    bytes += written;
    position += static_cast<uint64_t>(written);
    size -= static_cast<uint64_t>(written);
  }
  return absl::OkStatus();
}

absl::Status OutputFile::write(const void *data, uint64_t size) {
  if (absl::Status status = writeAt(length, data, size); !status.ok())
    return status;
  length += size;
  return absl::OkStatus();
}

absl::Status OutputFile::rewrite(uint64_t position, const void *data,
                                 uint64_t size) {
  if (position > length || size > length - position)
    return absl::OutOfRangeError(
        absl::StrCat("cannot rewrite ", size, " bytes at ", position, " of ",
                     finalPath, ", which has ", length));
  return writeAt(position, data, size);
}

absl::Status OutputFile::commit() {
  // Network and quota file systems report a full disk only here.
  int closed = ::close(fd);
  fd = -1;
  if (closed == 0 && std::rename(temporaryPath.c_str(), finalPath.c_str()) == 0)
    return absl::OkStatus();
  absl::Status status = errnoError("write", finalPath);
  ::unlink(temporaryPath.c_str());
  return status;
}

absl::Status writeFile(const std::string &path, const void *data,
                       uint64_t size) {
  absl::StatusOr<OutputFile> file = OutputFile::create(path);
  if (!file.ok())
    return file.status();
  if (absl::Status status = file->write(data, size); !status.ok())
    return status;
  return file->commit();
}

} // namespace ane::rt
