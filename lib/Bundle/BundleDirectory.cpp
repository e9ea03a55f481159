//===- BundleDirectory.cpp - a bundle in the making -----------------------===//

#include "ane/Bundle/BundleDirectory.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#if defined(__linux__)
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace mlir;
using namespace mlir::ane;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// The directory that an interrupt must remove; one bundle is written at a time.
static std::mutex unfinishedLock;
static std::string unfinished;

static void setUnfinished(StringRef directory) {
  std::lock_guard<std::mutex> guard(unfinishedLock);
  unfinished = directory.str();
}

void mlir::ane::removeUnfinishedOnInterrupt() {
  // A handler may not touch the file system (it could stand in the middle of malloc): a thread waits for the signals.
  static sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&signals, number);
  if (pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0)
    return;
  std::thread([] {
    int number = 0;
    while (sigwait(&signals, &number) != 0) {
    }
    std::lock_guard<std::mutex> guard(unfinishedLock);
    // Other threads go on writing until the process ends: what they add goes, too.
    for (int i = 0; i < 100 && !unfinished.empty() && fs::exists(unfinished); ++i)
      fs::remove_directories(unfinished);
    std::_Exit(128 + number);
  }).detach();
}

FailureOr<BundleDirectory> BundleDirectory::create(StringRef target, EmitError emitError) {
  BundleDirectory bundle;
  SmallString<128> absolute(target);
  fs::make_absolute(absolute);
  path::remove_dots(absolute, /*remove_dot_dot=*/true);
  while (absolute.size() > 1 && path::is_separator(absolute.back()))
    absolute.pop_back();
  // What a link names is replaced, not the link.
  if (SmallString<128> real; !fs::real_path(absolute, real))
    absolute = real;
  bundle.target = absolute.str().str();
  StringRef parent = path::parent_path(absolute);
  if (!fs::is_directory(parent)) {
    emitError("can't write '" + target + "': there is no directory '" + parent + "'");
    return failure();
  }
  if (fs::exists(bundle.target) && !fs::exists(bundle.target + "/" + ::ane::rt::manifest::kFileName)) {
    emitError("can't write '" + target + "': it exists and is no bundle; remedy: remove it, or choose another name");
    return failure();
  }
  bundle.temporary = bundle.target + ".tmp" + std::to_string(llvm::sys::Process::getProcessId());
  fs::remove_directories(bundle.temporary);
  setUnfinished(bundle.temporary);
  if (std::error_code error = fs::create_directory(bundle.temporary, /*IgnoreExisting=*/false, fs::all_all)) {
    emitError("can't create '" + bundle.temporary + "': " + error.message());
    bundle.temporary.clear();
    setUnfinished("");
    return failure();
  }
  return bundle;
}

BundleDirectory::BundleDirectory(BundleDirectory &&other) noexcept
    : target(std::move(other.target)), temporary(std::move(other.temporary)) {
  other.temporary.clear();
}

BundleDirectory &BundleDirectory::operator=(BundleDirectory &&other) noexcept {
  std::swap(target, other.target);
  std::swap(temporary, other.temporary);
  return *this;
}

BundleDirectory::~BundleDirectory() {
  if (temporary.empty())
    return;
  fs::remove_directories(temporary);
  setUnfinished("");
}

FailureOr<std::string> BundleDirectory::pathOf(StringRef relative, EmitError emitError) {
  std::string full = temporary + "/" + relative.str();
  if (std::error_code error = fs::create_directories(path::parent_path(full), /*IgnoreExisting=*/true, fs::all_all)) {
    emitError("can't create '" + path::parent_path(full) + "': " + error.message());
    return failure();
  }
  return full;
}

LogicalResult BundleDirectory::write(StringRef relative, StringRef contents, EmitError emitError) {
  FailureOr<std::string> full = pathOf(relative, emitError);
  if (failed(full))
    return failure();
  std::error_code error;
  llvm::raw_fd_ostream stream(*full, error);
  if (!error) {
    stream << contents;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error) {
    emitError("can't write '" + *full + "': " + error.message());
    return failure();
  }
  return success();
}

FailureOr<::ane::rt::manifest::File> BundleDirectory::describe(StringRef relative, EmitError emitError) {
  std::string full = temporary + "/" + relative.str();
  ::ane::rt::manifest::File file;
  uint64_t bytes = 0;
  auto hash = ::ane::rt::manifest::hashFile(full);
  if (std::error_code error = fs::file_size(full, bytes); error || !hash.ok()) {
    emitError("can't read back '" + full + "': " + (error ? error.message() : std::string(hash.status().message())));
    return failure();
  }
  file.path = relative.str();
  file.bytes = int64_t(bytes);
  file.hash = *hash;
  return file;
}

/// Lets two directories change names in one step; false where the system or the file system can't.
static bool exchangeNames(const std::string &first, const std::string &second) {
#if defined(__linux__) && defined(SYS_renameat2)
  constexpr unsigned exchangeFlag = 2; // RENAME_EXCHANGE
  return syscall(SYS_renameat2, AT_FDCWD, first.c_str(), AT_FDCWD, second.c_str(), exchangeFlag) == 0;
#elif defined(__APPLE__)
  return renamex_np(first.c_str(), second.c_str(), RENAME_SWAP) == 0;
#else
  return false;
#endif
}

LogicalResult BundleDirectory::commit(EmitError emitError) {
  if (fs::exists(target) && exchangeNames(temporary, target)) {
    // The temporary name is the older bundle's now.
    fs::remove_directories(temporary);
    temporary.clear();
    setUnfinished("");
    return success();
  }
  // A directory can't be renamed over one with files: the older bundle steps aside first.
  std::string old = temporary + ".old";
  bool replaces = fs::exists(target);
  if (replaces)
    if (std::error_code error = fs::rename(target, old)) {
      emitError("can't replace '" + target + "': " + error.message());
      return failure();
    }
  if (std::error_code error = fs::rename(temporary, target)) {
    emitError("can't rename '" + temporary + "' to '" + target + "': " + error.message());
    if (replaces)
      fs::rename(old, target);
    return failure();
  }
  if (replaces)
    fs::remove_directories(old);
  temporary.clear();
  setUnfinished("");
  return success();
}
