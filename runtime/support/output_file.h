//===- output_file.h - A file that appears only when complete ---*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_OUTPUT_FILE_H
#define ANE_RUNTIME_SUPPORT_OUTPUT_FILE_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ane::rt {

/// Writes under a temporary name in the same folder and renames on commit().
/// Without commit the temporary file is removed and an older file of the final
/// name stays as it was; what a kill leaves goes away when the name is written
/// next (unfinished.h). A full disk is kResourceExhausted.
///
/// Bytes are collected; beyond the first block a thread of the file's own
/// writes them while the caller makes the next ones. An error of that thread is
/// returned by a later call, commit() at the latest.
class OutputFile {
public:
  static absl::StatusOr<OutputFile> create(const std::string &path);

  OutputFile(OutputFile &&other) noexcept;
  OutputFile &operator=(OutputFile &&other) noexcept;
  ~OutputFile();

  /// Appends.
  absl::Status write(const void *data, uint64_t size);
  /// Overwrites bytes that were appended before.
  absl::Status rewrite(uint64_t position, const void *data, uint64_t size);
  absl::Status commit();
  /// The same, and waits until the file is on disk: its name never stands for less, whatever ends the machine.
  absl::Status commitToDisk();

  /// Hashes what is appended from now on. To be called before the first write.
  void startHash();
  /// Hash of the file (support/hash.h), after the last write. Empty if no hash
  /// was started or bytes were overwritten.
  std::string digest();

  /// Bytes appended so far.
  uint64_t size() const { return length; }
  const std::string &path() const;

private:
  struct Impl;
  OutputFile();
  std::unique_ptr<Impl> impl;
  uint64_t length = 0;
};

/// The folder that a path's last part is in; "." of a bare name.
std::string parentOf(const std::string &path);

/// Waits until a file, or the names in a folder, are on disk.
absl::Status syncPath(const std::string &path);

/// Writes a whole file in one go, through OutputFile.
absl::Status writeFile(const std::string &path, const void *data, uint64_t size);

} // namespace ane::rt

#endif // ANE_RUNTIME_SUPPORT_OUTPUT_FILE_H
