//===- mapped_file.cpp - A file mapped read-only --------------------------===//
#include "runtime/support/mapped_file.h"

#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>
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
  absl::StatusOr<MappedFile> file = map(fd, path);
  ::close(fd);
  return file;
}

absl::StatusOr<MappedFile> MappedFile::map(int fd, const std::string &name) { return map(fd, name, PROT_READ); }

absl::StatusOr<MappedFile> MappedFile::mapCopy(int fd, const std::string &name) {
  return map(fd, name, PROT_READ | PROT_WRITE);
}

absl::StatusOr<MappedFile> MappedFile::copyOf(const void *bytes, uint64_t size) {
  MappedFile file;
  if (size == 0)
    return file;
  void *address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED)
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot map ", size, " bytes"));
  std::memcpy(address, bytes, size);
  file.bytes = static_cast<const uint8_t *>(address);
  file.length = size;
  return file;
}

MappedFile MappedFile::show(std::shared_ptr<const MappedFile> other) {
  MappedFile file;
  file.bytes = other->bytes;
  file.length = other->length;
  file.shown = std::move(other);
  return file;
}

absl::StatusOr<MappedFile> MappedFile::map(int fd, const std::string &name, int protection) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot stat ", name));
  if (!S_ISREG(info.st_mode))
    return absl::InvalidArgumentError(absl::StrCat(name, " is not a regular file"));
  MappedFile file;
  if (info.st_size == 0) // mmap refuses empty mappings
    return file;
  void *address = mmap(nullptr, static_cast<size_t>(info.st_size), protection, MAP_PRIVATE, fd, 0);
  if (address == MAP_FAILED)
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot map ", name));
  file.bytes = static_cast<const uint8_t *>(address);
  file.length = static_cast<uint64_t>(info.st_size);
  return file;
}

void MappedFile::forget(uint64_t offset, uint64_t size) {
#if defined(__linux__)
  // Fewer are copied as fast as they are mapped anew.
  constexpr uint64_t kFewestBytes = 1 << 18;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t begin = (offset + page - 1) / page * page, end = (offset + size) / page * page;
  if (end < begin + kFewestBytes)
    return;
  size_t length = end - begin;
  void *fresh = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED)
    return;
  // Large pages make the most of the difference: a fault for each page costs what
  // copying it costs.
  madvise(fresh, length, MADV_HUGEPAGE);
  // Unlike mmap at a fixed place, which may fail when the old pages are gone, this
  // fails before anything is changed.
  if (mremap(fresh, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, mutableData() + begin) == MAP_FAILED)
    munmap(fresh, length);
#else
  (void)offset, (void)size; // as ever, then
#endif
}

MappedFile::~MappedFile() {
  if (bytes && !shown)
    munmap(const_cast<uint8_t *>(bytes), length);
}

} // namespace ane::rt
