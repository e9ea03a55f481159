//===- thread_pool.h - Threads behind the host libraries --------*- C++ -*-===//
//
// Host libraries hold parallel loops that LLVM's OpenMP lowering has outlined.
// The pool runs such a region as a fixed number of *virtual* threads, several
// for each real one; real threads claim the next virtual thread until none is
// left. A real thread that the system has descheduled holds up one share only,
// and the calling thread alone can finish a region (cpu-codegen.md 5).
//
// Which real thread runs a share, and how many there are, does not change any
// value: a share is a range of iterations, and each iteration writes its own
// elements.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_DEVICE_CPU_THREAD_POOL_H
#define ANE_RUNTIME_DEVICE_CPU_THREAD_POOL_H

#include "absl/status/statusor.h"
#include "ane/runtime/host_abi.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace ane::rt {

/// Largest number of threads that may be asked for.
inline constexpr int kMaxThreads = 256;

/// `requested` if it is above 0, else the environment variable ANE_NUM_THREADS,
/// else the processors that this process may run on.
absl::StatusOr<int> resolveThreadCount(int requested);

class ThreadPool {
public:
  /// `threads` counts the calling thread; 1 starts no other. Where the system
  /// refuses a thread, there are fewer.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  int threads() const { return static_cast<int>(workers.size()) + 1; }

  /// Runs all shares of a region. While another thread is inside a region of
  /// this pool, or from inside a region, the caller runs everything itself.
  void fork(ane_host_microtask task, void *context);
  /// Calls body(0) to body(count - 1) in such a region. An exception is passed on
  /// when all have ended.
  void forEach(uint64_t count, const std::function<void(uint64_t)> &body);

  /// Makes this the pool of the calling thread: the one that the functions of
  /// hostTable() use until the scope ends.
  class Scope {
  public:
    explicit Scope(ThreadPool &pool);
    ~Scope();
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;

  private:
    ThreadPool *previous;
  };

private:
  bool claim(uint32_t &share);
  void work();
  void workerMain();
  void waitForWork(uint64_t seen);

  // The region that runs: its generation in the upper half, the next unclaimed
  // share in the lower.
  alignas(64) std::atomic<uint64_t> state;
  alignas(64) std::atomic<uint32_t> finished{0};
  ane_host_microtask task = nullptr;
  void *context = nullptr;
  uint32_t shares;
  int spins;

  alignas(64) std::atomic<int> sleepers{0};
  std::atomic<bool> stopping{false};
  std::mutex sleepMutex;
  std::condition_variable wake;
  std::mutex regionMutex;
  std::vector<std::thread> workers;
};

/// The table that libraries are initialised with. Its functions work on the
/// pool of the calling thread's Scope, and serially outside of any.
const ane_host_table &hostTable();

} // namespace ane::rt
#endif // ANE_RUNTIME_DEVICE_CPU_THREAD_POOL_H
