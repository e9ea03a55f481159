//===- mapped_file.h - A file mapped read-only ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_MAPPED_FILE_H
#define ANE_RUNTIME_SUPPORT_MAPPED_FILE_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <utility>

namespace ane::rt {

/// The bytes of a regular file, mapped for as long as the object lives. Pages
/// count as cache, not as memory of the process. A file that shrinks while it
/// is mapped raises SIGBUS on access: bundles are not edited in place.
class MappedFile {
public:
  /// kNotFound, kPermissionDenied or kInvalidArgument (not a regular file).
  static absl::StatusOr<MappedFile> open(const std::string &path);
  /// Of an open file, which may be closed then; `name` is for messages.
  static absl::StatusOr<MappedFile> map(int fd, const std::string &name);

  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept { swap(other); }
  MappedFile &operator=(MappedFile &&other) noexcept {
    swap(other);
    return *this;
  }
  ~MappedFile();

  /// Page aligned; null for an empty file.
  const uint8_t *data() const { return bytes; }
  uint64_t size() const { return length; }

private:
  const uint8_t *bytes = nullptr;
  uint64_t length = 0;

  void swap(MappedFile &other) noexcept {
    std::swap(bytes, other.bytes);
    std::swap(length, other.length);
  }
};

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_MAPPED_FILE_H
