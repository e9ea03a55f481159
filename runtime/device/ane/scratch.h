//===- scratch.h - Folders that the framework compiles in -------*- C++ -*-===//
//
// The framework reads a program's text and weights from a folder of its temporary
// directory that is named by the program's identifier, and writes there what it
// compiles (ane-programming.md 1.2, 1.4). Programs of one identifier share it, also
// those of several processes: whoever overwrites weights there, or removes it, does
// so for all. Users are counted in this process, and seen by others as locks that
// end with it. What was compiled is found there by later processes. The last user
// removes a folder in which nothing was compiled, and one that only took over what
// a donor had compiled.
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
  /// The folder `identifier` of the folder `root`; made if it is not there. AlreadyExists if somebody has claimed it.
  static absl::StatusOr<Scratch> at(const std::string &root, const std::string &identifier);
  Scratch() = default;
  Scratch(Scratch &&other) noexcept { swap(other); }
  Scratch &operator=(Scratch &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Scratch();

  std::string path() const { return root + "/" + identifier; }
  /// Keeps all others from it from now on. False: others use it.
  bool claim() const;
  /// Whether this process still has what at() and claim() gave. It is lost where somebody clears the temporary
  /// directory, and others come first then.
  bool isHeld() const;

  /// Whether a file below it is there, with so many bytes, and no link.
  bool has(const std::string &name, uint64_t size) const;
  /// Writes a file below it, whole or not at all; parts of `name` before a slash are folders.
  absl::Status write(const std::string &name, const void *bytes, uint64_t size) const;
  /// Lets `name` be another name of a file, unless it is: a weight file of gigabytes is not written again
  /// (ane-programming.md 1.3).
  absl::Status link(const std::string &name, const std::string &target) const;
  /// Whether it stays when nobody uses it. Without a word it does if it has what a compilation leaves, be it another
  /// process's.
  void keep(bool stays) const;

private:
  void swap(Scratch &other) noexcept {
    root.swap(other.root);
    identifier.swap(other.identifier);
  }
  std::string root, identifier; ///< empty: none
};

/// What a compilation leaves in the folder of a program (ane-programming.md 1.4).
inline constexpr char kDescription[] = "net.plist";

} // namespace ane::rt::engine
#endif // ANE_RUNTIME_DEVICE_ANE_SCRATCH_H
