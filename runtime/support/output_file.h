//===- output_file.h - A file that appears only when complete ---*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_OUTPUT_FILE_H
#define ANE_RUNTIME_SUPPORT_OUTPUT_FILE_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>
#include <utility>

namespace ane::rt {

/// Writes under a temporary name in the same folder and renames on commit().
/// Without commit the temporary file is removed and an older file of the final
/// name stays as it was. A full disk is kResourceExhausted.
class OutputFile {
public:
  static absl::StatusOr<OutputFile> create(const std::string &path);

  OutputFile(OutputFile &&other) noexcept { swap(other); }
  OutputFile &operator=(OutputFile &&other) noexcept {
    swap(other);
    return *this;
  }
  ~OutputFile();

  /// Appends.
  absl::Status write(const void *data, uint64_t size);
  /// Overwrites bytes that were appended before.
  absl::Status rewrite(uint64_t position, const void *data, uint64_t size);
  absl::Status commit();

  /// Bytes appended so far.
  uint64_t size() const { return length; }
  const std::string &path() const { return finalPath; }

private:
  OutputFile() = default;
  int fd = -1;
  uint64_t length = 0;
  std::string finalPath, temporaryPath;

  void swap(OutputFile &other) noexcept {
    std::swap(fd, other.fd);
    std::swap(length, other.length);
    std::swap(finalPath, other.finalPath);
    std::swap(temporaryPath, other.temporaryPath);
  }
  absl::Status writeAt(uint64_t position, const void *data, uint64_t size);
};

/// Writes a whole file in one go, through OutputFile.
absl::Status writeFile(const std::string &path, const void *data,
                       uint64_t size);

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_OUTPUT_FILE_H
