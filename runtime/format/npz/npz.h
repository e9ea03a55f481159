//===- npz.h - NumPy's .npz files -------------------------------*- C++ -*-===//
//
// A zip archive with a member NAME.npy for each array, stored or deflated, as
// numpy.savez and numpy.savez_compressed write it.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_FORMAT_NPZ_NPZ_H
#define ANE_RUNTIME_FORMAT_NPZ_NPZ_H

#include "runtime/format/npy/npy.h"
#include "runtime/support/mapped_file.h"
#include "runtime/support/memory_budget.h"

#include <memory>

namespace ane::rt::npz {

/// A file that is open for reading. Errors name the file and the array.
class Archive {
public:
  static absl::StatusOr<Archive> open(const std::string &path);
  /// Of bytes that live as long; `name` is for messages.
  static absl::StatusOr<Archive> parse(const uint8_t *data, uint64_t size, const std::string &name);

  Archive(Archive &&other) noexcept;
  ~Archive();

  /// In the order of the file, without ".npy".
  const std::vector<std::string> &names() const;

  /// What the array's header says; nothing is unpacked but that. NotFound if there is no such array.
  absl::StatusOr<npy::Header> header(const std::string &name) const;

  /// All of an array; its size is taken from `budget` before there is memory for it, so that a small file can't fill
  /// the machine. Its checksum is compared.
  absl::StatusOr<npy::Array> read(const std::string &name, MemoryBudget &budget) const;

private:
  struct Impl;
  explicit Archive(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace ane::rt::npz

#endif // ANE_RUNTIME_FORMAT_NPZ_NPZ_H
