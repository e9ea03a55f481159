//===- program_cache.h - Programs that are loaded on devices -----*- C++
//-*-===//
//
// A device holds a bounded number of programs, and a process may compile a
// bounded number of them. The cache keeps to budgets for both: a program is
// loaded when it is needed, and the one that was used least recently makes room.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_PROGRAM_CACHE_H
#define ANE_RUNTIME_CORE_PROGRAM_CACHE_H

#include "runtime/core/log.h"
#include "runtime/device/device.h"
#include "runtime/device/refusal.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ane::rt {

/// 0: no limit.
struct ProgramBudgets {
  int64_t compilations = 0; ///< loads in the life of the process; what follows is refused
  int64_t loaded = 0;       ///< programs at a time
  int64_t bytes = 0;        ///< of their files, at a time
};

/// All but `loaded`, `loadedBytes` and `running` only grow.
struct ProgramCounters {
  int64_t compilations = 0; ///< loads that were asked of devices
  int64_t loaded = 0, loadedBytes = 0;
  int64_t running = 0; ///< pinned: these are not evicted
  int64_t hits = 0;    ///< uses that found their program loaded
  int64_t evictions = 0, retries = 0;
  int64_t refusals = 0; ///< programs that went to their CPU code
  int64_t evaluations = 0, evaluationNs = 0;
};

class CachedProgram;

class ProgramCache {
public:
  explicit ProgramCache(Log &log) : log(log) {}
  /// Evicts what is beyond them.
  void setBudgets(const ProgramBudgets &budgets);
  ProgramCounters counters() const;

private:
  friend class CachedProgram;
  absl::Status makeRoom(std::unique_lock<std::mutex> &lock, const CachedProgram &program);
  bool evict(const CachedProgram *keep);
  bool isOver(int64_t programs, int64_t bytes) const;
  void noteUnloaded(CachedProgram &program);

  Log &log;
  /// Held while a program is loaded: one at a time. Who holds it takes the mutex
  /// of another program only if that is free.
  std::mutex mutex;
  std::condition_variable released; ///< a program is no longer running
  std::atomic<int> waiting{0};
  ProgramBudgets budgets;
  std::vector<CachedProgram *> programs; ///< loaded ones
  std::atomic<int64_t> clock{0}, compilations{0}, loaded{0}, loadedBytes{0}, running{0}, hits{0}, evictions{0},
      retries{0}, refusals{0}, evaluations{0}, evaluationNs{0};
};

/// A program that bundles and sessions share. It is loaded while it runs, and
/// afterwards as long as the budgets allow.
class CachedProgram {
public:
  using Loader = std::function<absl::StatusOr<std::unique_ptr<DeviceProgram>>()>;
  /// `bytes` of its files. The cache outlives the program.
  CachedProgram(ProgramCache &cache, std::string name, int64_t bytes, Loader loader)
      : cache(cache), name(std::move(name)), bytes(bytes), loader(std::move(loader)) {}
  ~CachedProgram();

  /// Loads it unless it is loaded. What evaluate() says of refusals holds here.
  absl::Status load();

  /// Runs a procedure of it once; other threads wait. After a refusal of the device that need not
  /// last (Refusal::Transient, Refusal::Resource) it is loaded anew and runs once
  /// more.
  /// A refusal that is left is final: all later calls give it, in every session.
  absl::Status evaluate(size_t procedure, absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs);

private:
  friend class ProgramCache;
  template <typename Attempt>
  absl::Status use(Attempt &&attempt);
  template <typename Attempt>
  absl::Status withSecondTry(Attempt &&attempt);
  absl::Status ensureLoaded();
  void unload();

  ProgramCache &cache;
  const std::string name;
  const int64_t bytes;
  const Loader loader;
  std::mutex mutex; ///< held while it is loaded or runs
  std::unique_ptr<DeviceProgram> program;
  absl::Status refusal; ///< final
  bool overBudget = false;
  std::atomic<int64_t> lastUse{0};
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_PROGRAM_CACHE_H
