//===- scratch.h - Folders that the framework compiles in -------*- C++ -*-===//
//
// The framework reads a program's text and weights from a folder of its temporary
// directory that is named by the program's identifier, and writes there what it
// compiles (ane-programming.md 1.2, 1.4). Two programs of one identifier share it,
// and the last of them to go would take it from the other: folders are counted.
// What was compiled is found there by later processes, so that a folder stays
// unless nothing was compiled in it.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_ANE_SCRATCH_H
#define ANE_RUNTIME_DEVICE_ANE_SCRATCH_H

#include "absl/status/statusor.h"

#include <cstdint>
#include <string>

namespace ane::rt::engine {

class Scratch {
public:
  /// The folder `identifier` of the folder `root`; made if it is not there.
  static absl::StatusOr<Scratch> at(const std::string &root, const std::string &identifier);
  Scratch() = default;
  Scratch(Scratch &&other) noexcept { swap(other); }
  Scratch &operator=(Scratch &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Scratch();

  const std::string &path() const { return folder; }
  /// Writes a file below it, whole or not at all; parts of `name` before a slash are folders.
  absl::Status write(const std::string &name, const void *bytes, uint64_t size) const;
  /// Lets `name` be another name of a file: a weight file of gigabytes is not written again (ane-programming.md 1.3).
  absl::Status link(const std::string &name, const std::string &target) const;
  /// It stays when nobody uses it.
  void keep();

private:
  void swap(Scratch &other) noexcept { folder.swap(other.folder); }
  std::string folder; ///< empty: none
};

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_SCRATCH_H
