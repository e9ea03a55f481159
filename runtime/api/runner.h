//===- runner.h - Runs of a session on a thread of its own ------*- C++ -*-===//
#ifndef ANE_RUNTIME_API_RUNNER_H
#define ANE_RUNTIME_API_RUNNER_H

#include "absl/status/status.h"
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace ane::rt {

/// One task at a time, on one thread, which starts with the first.
class Runner {
public:
  /// `work` is not running, and what follows on it has not begun, or the task has
  /// ended: `done` may start the next one.
  using Work = std::function<absl::Status()>;
  using Done = std::function<void(const absl::Status &)>;

  ~Runner() { close(), join(); }

  /// There is no task, or its `work` has ended. False, and nothing more, after close(). Throws where there is no
  /// thread.
  bool start(Work work, Done done);
  /// Until there is no task. How the last one ended.
  absl::Status wait();
  /// From now on no task starts. One that has been started runs, with what follows on it.
  void close();
  /// After close(): until the thread has ended.
  void join();

private:
  void main();

  std::mutex mutex;
  std::condition_variable changed;
  Work work; ///< of the task that has not begun
  Done done;
  int tasks = 0; ///< not ended, with what follows on them
  bool closed = false;
  absl::Status last;
  std::thread thread;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_API_RUNNER_H
