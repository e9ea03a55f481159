//===- mapped_file.h - Read-only mapped files --------------------*- C++
//-*-===//
#ifndef ANE_RUNTIME_CORE_MAPPED_FILE_H
#define ANE_RUNTIME_CORE_MAPPED_FILE_H

#include "absl/status/statusor.h"
#include <cstdint>
#include <string>

namespace ane::rt {

/// A whole file in memory, page aligned, shared with other processes.
class MappedFile {
public:
  /// DataLoss when the file does not have the size that the manifest recorded.
  static absl::StatusOr<MappedFile> open(const std::string &path,
                                         int64_t expectedBytes);
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  /// Null for an empty file.
  const uint8_t *data() const { return base; }
  int64_t bytes() const { return size; }

private:
  const uint8_t *base = nullptr;
  int64_t size = 0;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_MAPPED_FILE_H
