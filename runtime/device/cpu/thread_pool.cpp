//===- thread_pool.cpp - Threads behind the host libraries ----------------===//
#include "runtime/device/cpu/thread_pool.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include <cstdlib>
#include <exception>
#if defined(__linux__)
#include <sched.h>
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace ane::rt {
namespace {

/// Shares per thread: enough that a slow thread costs little, few enough that a
/// share is worth its claim.
constexpr uint32_t kSharesPerThread = 4;
/// Pauses before a worker goes to sleep; about the time between two regions of
/// one function.
constexpr int kSpins = 20000;

/// What the running region looks like from the current thread.
struct Team {
  ThreadPool *pool = nullptr;
  uint32_t size = 1;
  int32_t share = 0;
  bool inside = false;
};
thread_local Team team;

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

void runShare(ane_host_microtask task, void *context, uint32_t share, uint32_t size) {
  Team saved = team;
  team.size = size;
  team.share = static_cast<int32_t>(share);
  team.inside = true;
  int32_t gtid = team.share, btid = team.share;
  task(&gtid, &btid, context);
  team = saved;
}

int availableProcessors() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
#endif
  return static_cast<int>(std::thread::hardware_concurrency());
}

} // namespace

absl::StatusOr<int> resolveThreadCount(int requested) {
  if (requested > kMaxThreads)
    return absl::InvalidArgumentError(absl::StrCat("threads: is ", requested, ", expected 1 to ", kMaxThreads));
  if (requested > 0)
    return requested;
  if (const char *text = std::getenv("ANE_NUM_THREADS"); text && *text) {
    int count = 0;
    if (!absl::SimpleAtoi(text, &count) || count < 1 || count > kMaxThreads)
      return absl::InvalidArgumentError(
          absl::StrCat("ANE_NUM_THREADS: is \"", text, "\", expected 1 to ", kMaxThreads));
    return count;
  }
  return std::min(std::max(availableProcessors(), 1), kMaxThreads);
}

ThreadPool::ThreadPool(int threads)
    : shares(static_cast<uint32_t>(threads) * kSharesPerThread),
      // Who waits for a thread that has no processor must not hold one.
      spins(threads <= availableProcessors() ? kSpins : 0) {
  state.store(shares); // nothing to claim
  workers.reserve(threads - 1);
  try {
    for (int i = 1; i < threads; ++i)
      workers.emplace_back([this] { workerMain(); });
  } catch (const std::exception &) {
    // The system gives no more threads, or no memory for one. Those that there
    // are do the same work, the caller alone if need be.
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard<std::mutex> lock(sleepMutex);
    stopping.store(true);
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

bool ThreadPool::claim(uint32_t &share) {
  uint64_t now = state.load(std::memory_order_acquire);
  while (static_cast<uint32_t>(now) < shares)
    if (state.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
      share = static_cast<uint32_t>(now);
      return true;
    }
  return false;
}

void ThreadPool::work() {
  uint32_t share;
  while (claim(share)) {
    runShare(task, context, share, shares);
    finished.fetch_add(1, std::memory_order_release);
  }
}

void ThreadPool::waitForWork(uint64_t seen) {
  for (int i = 0; i < spins; ++i) {
    if (state.load(std::memory_order_acquire) != seen || stopping.load(std::memory_order_relaxed))
      return;
    pause();
  }
  std::unique_lock<std::mutex> lock(sleepMutex);
  // fork() publishes the state first and looks for sleepers second, this does
  // the reverse: one of the two sees the other.
  sleepers.fetch_add(1);
  wake.wait(lock, [&] { return state.load() != seen || stopping.load(); });
  sleepers.fetch_sub(1);
}

void ThreadPool::workerMain() {
  team.pool = this;
  while (!stopping.load(std::memory_order_relaxed)) {
    work();
    uint64_t seen = state.load(std::memory_order_acquire);
    if (static_cast<uint32_t>(seen) >= shares)
      waitForWork(seen);
  }
}

void ThreadPool::fork(ane_host_microtask newTask, void *newContext) {
  std::unique_lock<std::mutex> region(regionMutex, std::defer_lock);
  if (team.inside || workers.empty() || !region.try_lock())
    return runShare(newTask, newContext, 0, 1);
  task = newTask;
  context = newContext;
  finished.store(0, std::memory_order_relaxed);
  uint64_t generation = (state.load(std::memory_order_relaxed) >> 32) + 1;
  state.store(generation << 32); // sequentially consistent, see waitForWork
  if (sleepers.load() != 0) {
    // Taking the mutex keeps the wake-up from falling between a worker's test
    // and its sleep.
    {
      std::lock_guard<std::mutex> lock(sleepMutex);
    }
    wake.notify_all();
  }
  work();
  for (int i = 0; finished.load(std::memory_order_acquire) != shares; ++i)
    if (i < spins / 10)
      pause();
    else
      std::this_thread::yield();
}

ThreadPool::Scope::Scope(ThreadPool &pool) : previous(team.pool) { team.pool = &pool; }
ThreadPool::Scope::~Scope() { team.pool = previous; }

namespace {

void forkCall(void *, int32_t argc, void *microtask, void *context) {
  auto *task = reinterpret_cast<ane_host_microtask>(microtask);
  if (team.pool)
    team.pool->fork(task, argc == 0 ? nullptr : context);
  else
    runShare(task, argc == 0 ? nullptr : context, 0, 1);
}

int32_t globalThreadNum(void *) { return team.share; }

void forStaticInit8u(void *, int32_t gtid, int32_t, int32_t *last, uint64_t *lb, uint64_t *ub, int64_t *stride, int64_t,
                     int64_t) {
  uint64_t low = *lb, count = *ub - low + 1;
  uint64_t share = static_cast<uint32_t>(gtid), size = team.size;
  // count * size stays below 2^64: a loop has fewer than 2^52 iterations.
  uint64_t begin = count * share / size, end = count * (share + 1) / size;
  *stride = static_cast<int64_t>(count);
  *last = share == size - 1;
  if (begin == end) {
    *lb = 1;
    *ub = 0;
  } else {
    *lb = low + begin;
    *ub = low + end - 1;
  }
}

void forStaticFini(void *, int32_t) {}
void barrier(void *, int32_t) {}

} // namespace

void ThreadPool::forEach(uint64_t count, const std::function<void(uint64_t)> &body) {
  struct Loop {
    uint64_t count;
    const std::function<void(uint64_t)> &body;
    std::mutex mutex;
    std::exception_ptr failure;
  } loop{count, body, {}, nullptr};
  if (count == 0)
    return;
  fork(
      [](int32_t *gtid, int32_t *, void *context) {
        auto &loop = *static_cast<Loop *>(context);
        uint64_t low = 0, high = loop.count - 1;
        int64_t stride = 0;
        int32_t last = 0;
        forStaticInit8u(nullptr, *gtid, 0, &last, &low, &high, &stride, 1, 0);
        try {
          for (uint64_t i = low; i <= high; ++i)
            loop.body(i);
        } catch (...) {
          std::lock_guard<std::mutex> lock(loop.mutex);
          loop.failure = std::current_exception();
        }
      },
      &loop);
  if (loop.failure)
    std::rethrow_exception(loop.failure);
}

const ane_host_table &hostTable() {
  static const ane_host_table table = {ANE_HOST_ABI_VERSION, sizeof(ane_host_table), forkCall, globalThreadNum,
                                       forStaticInit8u,      forStaticFini,          barrier};
  return table;
}

} // namespace ane::rt
