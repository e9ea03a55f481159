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

  /// Drops a task that has not begun and waits for one that has.
  ~Runner();

  /// There is no task, or its `work` has ended. Throws where there is no thread.
  void start(Work work, Done done);
  /// Until there is no task. How the last one ended.
  absl::Status wait();

private:
  void main();

  std::mutex mutex;
  std::condition_variable changed;
  Work work; ///< of the task that has not begun
  Done done;
  int tasks = 0; ///< not ended, with what follows on them
  bool stopping = false;
  absl::Status last;
  std::thread thread;
};

} // namespace ane::rt
#endif // ANE_RUNTIME_API_RUNNER_H
