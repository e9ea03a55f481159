//===- mapped_file.h - A file mapped read-only ------------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_MAPPED_FILE_H
#define ANE_RUNTIME_SUPPORT_MAPPED_FILE_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
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
  /// The same, to be changed through mutableData(): whatever is written stays in
  /// this mapping, and only the pages that are take memory.
  static absl::StatusOr<MappedFile> mapCopy(int fd, const std::string &name);
  /// Memory of no file with these bytes.
  static absl::StatusOr<MappedFile> copyOf(const void *bytes, uint64_t size);
  /// Shows the bytes of another mapping, which lives as long.
  static MappedFile show(std::shared_ptr<const MappedFile> other);

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
  /// Of a mapping that mapCopy() made.
  uint8_t *mutableData() { return const_cast<uint8_t *>(bytes); }
  /// To be called before that range is overwritten as a whole: of the pages in it,
  /// the old bytes are neither read nor copied at the first write. They are zeros
  /// then, or still the old ones; the pages around them keep theirs.
  void forget(uint64_t offset, uint64_t size);

private:
  static absl::StatusOr<MappedFile> map(int fd, const std::string &name, int protection);

  const uint8_t *bytes = nullptr;
  uint64_t length = 0;
  std::shared_ptr<const MappedFile> shown; ///< owner of the bytes, if another

  void swap(MappedFile &other) noexcept {
    std::swap(bytes, other.bytes);
    std::swap(length, other.length);
    std::swap(shown, other.shown);
  }
};

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_MAPPED_FILE_H
