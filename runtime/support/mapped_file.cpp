//===- mapped_file.cpp - A file mapped read-only --------------------------===//
#include "runtime/support/mapped_file.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ane::rt {

absl::StatusOr<MappedFile> MappedFile::open(const std::string &path) {
  // O_NONBLOCK: a FIFO in place of the file must not hang the reader.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot open ", path));
  struct stat info;
  absl::Status status;
  void *address = nullptr;
  if (fstat(fd, &info) != 0) {
    status = absl::ErrnoToStatus(errno, absl::StrCat("cannot stat ", path));
  } else if (!S_ISREG(info.st_mode)) {
    status = absl::InvalidArgumentError(absl::StrCat(path, " is not a regular file"));
  } else if (info.st_size > 0) { // mmap refuses empty mappings
    address = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (address == MAP_FAILED)
      status = absl::ErrnoToStatus(errno, absl::StrCat("cannot map ", path));
  }
  ::close(fd);
  if (!status.ok())
    return status;
  MappedFile file;
  file.bytes = static_cast<const uint8_t *>(address);
  file.length = static_cast<uint64_t>(info.st_size);
  return file;
}

MappedFile::~MappedFile() {
  if (bytes)
    munmap(const_cast<uint8_t *>(bytes), length);
}

} // namespace ane::rt
