//===- Unfinished.cpp - files and folders in the making -------------------===//

#include "ane/Bundle/Unfinished.h"
#include "runtime/support/unfinished.h"
#include "llvm/Support/Signals.h"
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::ane;
using namespace ::ane::rt;

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

/// LLVM ends the process by exit() after errors that it takes for fatal. An interrupt that is being answered says how
/// it ends, and nothing unfinished is left.
static void removeAtExit() {
  Registry &all = registry();
  all.mutex.lock();
  for (const std::string &name : all.names)
    removeAll(name);
}

void mlir::ane::removeUnfinishedOnInterrupt() {
  std::atexit(removeAtExit);
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

//===-- files and folders -------------------------------------------------===//

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
  removeLeftOvers(place.str());
  InterruptsWait wait;
  for (int attempt = 0; attempt < 100; ++attempt) {
    Unfinished made;
    std::string name = temporaryName(place.str(), kUnfinished);
    made.fd = createExclusively(name, kind);
    if (made.fd < 0 && errno == EEXIST)
      continue;
    if (made.fd < 0)
      return std::error_code(errno, std::generic_category());
    if (!lockUnfinished(made.fd, name))
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
