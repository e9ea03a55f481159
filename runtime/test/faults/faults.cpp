//===- faults.cpp - Calls that fail on purpose ----------------------------===//
//
// The linker (--wrap=NAME) sends the runtime's calls of NAME to __wrap_NAME; the
// function itself is __real_NAME then.
//
//===----------------------------------------------------------------------===//

#include "runtime/test/faults/faults.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <fcntl.h>
#include <new>
#include <sys/stat.h>
#include <sys/types.h>
#include <system_error>

namespace ane::rt::test {
namespace {

std::atomic<int> armed{-1}; ///< the Fault, -1: none
std::atomic<int> left{0};
std::atomic<int64_t> live{0};

bool fails(Fault fault) { return armed == static_cast<int>(fault) && --left == 0; }

bool fails(Fault fault, int code) {
  if (!fails(fault))
    return false;
  errno = code;
  return true;
}

} // namespace

void failCall(Fault fault, int n) {
  left = n;
  armed = static_cast<int>(fault);
}

bool stopFailing() {
  armed = -1;
  return left <= 0;
}

int64_t liveObjects() { return live; }

} // namespace ane::rt::test

using namespace ane::rt::test;

void *operator new(size_t size) {
  void *memory = fails(Fault::New) ? nullptr : std::malloc(size ? size : 1);
  if (!memory)
    throw std::bad_alloc();
  ++live;
  return memory;
}
void operator delete(void *memory) noexcept {
  live -= memory != nullptr;
  std::free(memory);
}
void operator delete(void *memory, size_t) noexcept { operator delete(memory); }

extern "C" {

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  int mode = flags & O_CREAT ? va_arg(arguments, int) : 0;
  va_end(arguments);
  return fails(Fault::Open, EMFILE) ? -1 : __real_open(path, flags, mode);
}

// The runtime creates no files through it.
int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...) {
  return fails(Fault::OpenAt, EMFILE) ? -1 : __real_openat(folder, path, flags);
}

int __real_fstat(int fd, struct stat *info);
int __wrap_fstat(int fd, struct stat *info) { return fails(Fault::Stat, EIO) ? -1 : __real_fstat(fd, info); }

void *__real_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
  if (fails(Fault::Map, ENOMEM))
    return reinterpret_cast<void *>(-1);
  return __real_mmap(address, size, protection, flags, fd, offset);
}

ssize_t __real_read(int fd, void *data, size_t size);
ssize_t __wrap_read(int fd, void *data, size_t size) {
  return fails(Fault::Read, EIO) ? -1 : __real_read(fd, data, size);
}

ssize_t __real_pwrite(int fd, const void *data, size_t size, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t size, off_t offset) {
  return fails(Fault::Write, ENOSPC) ? -1 : __real_pwrite(fd, data, size, offset);
}

// Closes in any case: so does Linux, when it reports what was lost.
int __real_close(int fd);
int __wrap_close(int fd) {
  int closed = __real_close(fd);
  return fails(Fault::Close, EIO) ? -1 : closed;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd) { return fails(Fault::Sync, ENOSPC) ? -1 : __real_fsync(fd); }

int __real_mkdir(const char *path, mode_t mode);
int __wrap_mkdir(const char *path, mode_t mode) {
  return fails(Fault::MakeFolder, EACCES) ? -1 : __real_mkdir(path, mode);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to) { return fails(Fault::Rename, EIO) ? -1 : __real_rename(from, to); }

void *__real_dlopen(const char *path, int flags);
void *__wrap_dlopen(const char *path, int flags) {
  // A file that is not there, so that dlerror() has something to say.
  return __real_dlopen(fails(Fault::Library) ? "/nonexistent/library" : path, flags);
}

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return fails(Fault::Buffer, ENOMEM) ? nullptr : __real_aligned_alloc(alignment, size);
}

// void std::thread::_M_start_thread(std::unique_ptr<_State>, void (*)()), a
// member function: the object comes first, and the owner is passed by address.
#define ANE_START_THREAD(prefix)                                                                                       \
  prefix##_ZNSt6thread15_M_start_threadESt10unique_ptrINS_6_StateESt14default_deleteIS1_EEPFvvE
void ANE_START_THREAD(__real_)(void *thread, void *state, void (*depend)());
void ANE_START_THREAD(__wrap_)(void *thread, void *state, void (*depend)()) {
  if (fails(Fault::Thread))
    throw std::system_error(EAGAIN, std::generic_category());
  ANE_START_THREAD(__real_)(thread, state, depend);
}

} // extern "C"
