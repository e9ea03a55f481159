//===- Unfinished.h - files and folders in the making ----------*- C++ -*-===//
//
// What a tool writes lies beside its place until it is whole and gets its name in one step. It is removed when the work
// fails, on an interrupt, and after a kill, by the next process that writes NAME (runtime/support/unfinished.h).
//
//===----------------------------------------------------------------------===//
#ifndef ANE_BUNDLE_UNFINISHED_H
#define ANE_BUNDLE_UNFINISHED_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/ErrorOr.h"
#include <mutex>
#include <string>

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

} // namespace mlir::ane

#endif // ANE_BUNDLE_UNFINISHED_H
