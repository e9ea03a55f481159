//===- mapped_file.cpp - Read-only mapped files ---------------------------===//
#include "runtime/core/mapped_file.h"
#include "absl/strings/str_cat.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ane::rt {

absl::StatusOr<MappedFile> MappedFile::open(const std::string &path,
                                            int64_t expectedBytes) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat info;
  if (fd < 0 || fstat(fd, &info) != 0) {
    int code = errno;
    if (fd >= 0)
      close(fd);
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot open: ", strerror(code)));
  }
  if (!S_ISREG(info.st_mode) || info.st_size != expectedBytes) {
    close(fd);
    return absl::DataLossError(absl::StrCat(
        path, ": has ", info.st_size, " bytes, the manifest says ",
        expectedBytes, "; the bundle is damaged, compile the model again"));
  }
  MappedFile file;
  if (expectedBytes != 0) {
    void *base = mmap(nullptr, static_cast<size_t>(expectedBytes), PROT_READ,
                      MAP_PRIVATE, fd, 0);
    int code = errno;
    close(fd);
    if (base == MAP_FAILED)
      return absl::ResourceExhaustedError(
          absl::StrCat(path, ": cannot map: ", strerror(code)));
    file.base = static_cast<const uint8_t *>(base);
    file.size = expectedBytes;
  } else {
    close(fd);
  }
  return file;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : base(std::exchange(other.base, nullptr)),
      size(std::exchange(other.size, 0)) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(base, other.base);
  std::swap(size, other.size);
  return *this;
}

MappedFile::~MappedFile() {
  if (base)
    munmap(const_cast<uint8_t *>(base), static_cast<size_t>(size));
}

} // namespace ane::rt
