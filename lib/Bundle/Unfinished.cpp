//===- Unfinished.cpp - files and folders in the making -------------------===//

#include "ane/Bundle/Unfinished.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ane;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace {
struct Registry {
  std::recursive_mutex mutex;
  std::set<std::string> names; // what an interrupt removes
  bool done = false;
};
} // namespace

/// Never destroyed: an interrupt may come while the process ends.
static Registry &registry() {
  static auto *registry = new Registry;
  return *registry;
}

//===-- interrupts --------------------------------------------------------===//

static void *waitForInterrupt(void *signals) {
  int number = 0;
  while (sigwait(static_cast<sigset_t *>(signals), &number) != 0) {
  }
  Registry &all = registry();
  // Until the end: from here on no other thread begins anything or gives it its name.
  all.mutex.lock();
  if (all.done)
    std::_Exit(0);
  // Other threads go on until the process ends. That their files vanish is no news for the user.
  if (int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    ::dup2(nowhere, STDERR_FILENO);
  for (const std::string &name : all.names)
    removeAll(name);
  llvm::sys::RunInterruptHandlers(); // LLVM's own temporary files
  std::_Exit(128 + number);
}

void mlir::ane::removeUnfinishedOnInterrupt() {
  // A handler may not touch the file system (it could stand in the middle of malloc): a thread waits for the signals.
  static sigset_t awaited;
  sigset_t blocked;
  sigemptyset(&awaited);
  sigemptyset(&blocked);
  for (int number : {SIGINT, SIGTERM, SIGHUP}) {
    sigaddset(&blocked, number);
    // What the parent ignores for its child (nohup does) stays ignored: nobody waits for it.
    struct sigaction before;
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      sigaddset(&awaited, number);
  }
  if (pthread_sigmask(SIG_BLOCK, &blocked, nullptr) != 0)
    return;
  pthread_t thread;
  if (pthread_create(&thread, nullptr, waitForInterrupt, &awaited) != 0)
    pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
  else
    pthread_detach(thread);
}

InterruptsWait::InterruptsWait() : lock(registry().mutex) {}

void InterruptsWait::allIsDone() { registry().done = true; }

//===-- names -------------------------------------------------------------===//

static constexpr StringLiteral unfinishedKind = "unfinished";
static constexpr size_t digits = 8;

std::string mlir::ane::temporaryName(StringRef place, StringRef kind) {
  return llvm::formatv("{0}.{1}-{2:x-8}", place, kind, llvm::sys::Process::GetRandomNumber());
}

std::vector<std::string> mlir::ane::temporaryNames(StringRef place, StringRef kind) {
  StringRef folder = path::parent_path(place);
  std::string prefix = (path::filename(place) + "." + kind + "-").str();
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator it(folder.empty() ? "." : folder, error, /*follow_symlinks=*/false), end;
  for (; !error && it != end; it.increment(error)) {
    StringRef rest = path::filename(it->path());
    if (rest.consume_front(prefix) && rest.size() == digits && llvm::all_of(rest, llvm::isHexDigit))
      names.push_back(it->path());
  }
  return names;
}

void mlir::ane::removeAll(const std::string &name) {
  // Another thread may add files as long as their folder is there.
  for (int i = 0; i < 100; ++i) {
    fs::file_status status;
    if (fs::status(name, status, /*follow=*/false))
      return;
    if (fs::is_directory(status))
      fs::remove_directories(name);
    else
      fs::remove(name);
  }
}

//===-- locks -------------------------------------------------------------===//

/// Whether `name` is what `fd` was opened on, and not another thing by now.
static bool isNameOf(const std::string &name, int fd) {
  struct stat opened, named;
  return ::fstat(fd, &opened) == 0 && ::lstat(name.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

/// Removes what is not locked.
static void removeLeftOvers(StringRef place) {
  for (const std::string &name : temporaryNames(place, unfinishedKind)) {
    int fd = ::open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
      continue;
    // The lock is kept meanwhile: who has just created it takes another name.
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0 && isNameOf(name, fd))
      removeAll(name);
    ::close(fd);
  }
}

/// Creates `name`, which must not exist, and opens it; -1 and errno if that fails.
static int createExclusively(const std::string &name, Unfinished::Kind kind) {
  if (kind == Unfinished::Kind::File)
    return ::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (::mkdir(name.c_str(), 0777) != 0)
    return -1;
  int fd = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT)
    errno = EEXIST; // taken for a left-over
  return fd;
}

llvm::ErrorOr<Unfinished> Unfinished::create(StringRef place, Kind kind) {
  removeLeftOvers(place);
  InterruptsWait wait;
  for (int attempt = 0; attempt < 100; ++attempt) {
    Unfinished made;
    std::string name = temporaryName(place, unfinishedKind);
    made.fd = createExclusively(name, kind);
    if (made.fd < 0 && errno == EEXIST)
      continue;
    if (made.fd < 0)
      return std::error_code(errno, std::generic_category());
    // A process that looks for left-overs may be faster. Some file systems have no locks: there left-overs stay.
    if ((::flock(made.fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) || !isNameOf(name, made.fd))
      continue;
    made.temporary = name;
    registry().names.insert(std::move(name));
    return made;
  }
  return std::make_error_code(std::errc::file_exists);
}

Unfinished::~Unfinished() {
  if (!temporary.empty()) {
    InterruptsWait wait;
    removeAll(temporary);
    registry().names.erase(temporary);
  }
  if (fd >= 0)
    ::close(fd);
}

void Unfinished::release() {
  InterruptsWait wait;
  registry().names.erase(temporary);
  temporary.clear();
}
