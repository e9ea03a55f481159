//===- Unfinished.h - files and folders in the making ----------*- C++ -*-===//
//
// What a tool writes lies beside its place, as NAME.unfinished-1f2e3d4c, until it is whole and gets its name in one
// step. It is removed when the work fails, on an interrupt, and after a kill: the process that writes it holds a lock
// on it (flock), so that the next one that writes NAME knows what nobody works on any more.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_BUNDLE_UNFINISHED_H
#define ANE_BUNDLE_UNFINISHED_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/ErrorOr.h"
#include <mutex>
#include <string>
#include <vector>

namespace mlir::ane {

/// From now on SIGINT, SIGTERM and SIGHUP remove what is unfinished before they end the process with code 128 and the
/// signal's number. Call it first of all: before any other thread starts, and before LLVM has handlers of its own.
void removeUnfinishedOnInterrupt();

/// Interrupts wait while one of these lives.
class InterruptsWait {
public:
  InterruptsWait();
  /// What was asked for is there: an interrupt comes too late, and ends the process with code 0.
  void allIsDone();

private:
  std::lock_guard<std::recursive_mutex> lock;
};

class Unfinished {
public:
  enum class Kind { File, Folder };

  Unfinished() = default;
  Unfinished(Unfinished &&other) noexcept { swap(other); }
  Unfinished &operator=(Unfinished &&other) noexcept {
    swap(other);
    return *this;
  }
  ~Unfinished();

  /// Creates an empty file or folder for `place` and removes what killed processes left of it.
  static llvm::ErrorOr<Unfinished> create(StringRef place, Kind kind);

  /// Where it lies; empty if there is none.
  const std::string &name() const { return temporary; }
  /// Opened for writing (a file) or reading (a folder).
  int descriptor() const { return fd; }
  /// It has got its name: nothing is left to remove.
  void release();

private:
  void swap(Unfinished &other) noexcept {
    std::swap(temporary, other.temporary);
    std::swap(fd, other.fd);
  }

  std::string temporary;
  int fd = -1;
};

/// A name beside `place` for a thing of `kind` ("unfinished"), and all such names that exist.
std::string temporaryName(StringRef place, StringRef kind);
std::vector<std::string> temporaryNames(StringRef place, StringRef kind);

/// Removes a file, or a folder with all that is in it.
void removeAll(const std::string &name);

} // namespace mlir::ane

#endif // ANE_BUNDLE_UNFINISHED_H
