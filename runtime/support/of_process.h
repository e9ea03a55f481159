//===- of_process.h - What a process has one of -----------------*- C++ -*-===//
#ifndef ANE_RUNTIME_SUPPORT_OF_PROCESS_H
#define ANE_RUNTIME_SUPPORT_OF_PROCESS_H

#include <memory>
#include <mutex>
#include <unistd.h>

namespace ane::rt {

/// The T of this process, which is never freed: threads may use it while the process ends. A child of fork() gets
/// another: its parent's may have threads that the child does not have, and mutexes that they hold.
template <typename T>
std::shared_ptr<T> ofProcess() {
  struct Owned {
    pid_t owner;
    std::shared_ptr<T> object;
  };
  static std::mutex mutex;
  static Owned *current = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (!current || current->owner != getpid())
    current = new Owned{getpid(), std::make_shared<T>()};
  return current->object;
}

} // namespace ane::rt
#endif // ANE_RUNTIME_SUPPORT_OF_PROCESS_H
