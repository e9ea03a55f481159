//===- runner.cpp - Runs of a session on a thread of its own --------------===//
#include "runtime/api/runner.h"

namespace ane::rt {

bool Runner::start(Work newWork, Done newDone) {
  std::lock_guard<std::mutex> lock(mutex);
  if (closed)
    return false;
  if (!thread.joinable())
    thread = std::thread([this] { main(); });
  work = std::move(newWork);
  done = std::move(newDone);
  ++tasks;
  changed.notify_all();
  return true;
}

absl::Status Runner::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return tasks == 0; });
  return last;
}

void Runner::close() {
  std::lock_guard<std::mutex> lock(mutex);
  closed = true;
  changed.notify_all();
}

void Runner::join() {
  if (thread.joinable())
    thread.join();
}

void Runner::main() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return work || closed; });
    if (!work)
      return;
    Work current = std::exchange(work, nullptr);
    Done after = std::exchange(done, nullptr);
    lock.unlock();
    absl::Status status = current();
    lock.lock();
    last = status;
    lock.unlock();
    after(status);
    lock.lock();
    --tasks;
    changed.notify_all();
  }
}

} // namespace ane::rt
