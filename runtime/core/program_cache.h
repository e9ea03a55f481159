//===- program_cache.h - Programs that are loaded on devices ----*- C++ -*-===//
//
// A device holds a bounded number of programs, and a process may compile a
// bounded number of them. The cache keeps to budgets for both, the user's or
// what the records say of the device: a program is compiled when it is needed
// first, and the one that was used least recently makes room. It is unloaded, not
// thrown away: when it is needed again it is loaded without a compilation.
// Programs are loaded side by side, each once for all who wait for it, and run
// for several sessions at a time.
//
//===----------------------------------------------------------------------===//
#ifndef ANE_RUNTIME_CORE_PROGRAM_CACHE_H
#define ANE_RUNTIME_CORE_PROGRAM_CACHE_H

#include "runtime/core/log.h"
#include "runtime/core/weight_ranges.h"
#include "runtime/core/weight_ways.h"
#include "runtime/device/device.h"
#include "runtime/device/refusal.h"
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ane::rt {

/// All but `loaded`, `loadedBytes` and `running` only grow.
struct ProgramCounters {
  int64_t compilations = 0; ///< that were asked of devices
  int64_t loads = 0;        ///< of compiled programs
  int64_t loaded = 0, loadedBytes = 0;
  int64_t running = 0; ///< uses of programs right now: these are not evicted
  int64_t hits = 0;    ///< uses that found their program loaded
  int64_t evictions = 0, retries = 0;
  int64_t refusals = 0; ///< programs that went to their CPU code
  int64_t updates = 0;  ///< programs that were made of others by other weights, and not loaded
  int64_t evaluations = 0, evaluationNs = 0;
  int64_t loadNs = 0;
  int64_t inputBytes = 0, outputBytes = 0; ///< of the surfaces of evaluations
  int64_t weightBytes = 0;                 ///< of the files of programs that were loaded, and of updates
  std::optional<int64_t> energyNj = 0;     ///< of evaluations; nothing if a device did not tell
};

constexpr int64_t kNoLimit = INT64_MAX;

/// The programs of a device, in all contexts. Where it refuses to load one beside others, it has places for those
/// others: fewer than its records say, or than the user allows.
struct DevicePrograms {
  DevicePrograms() = default;
  explicit DevicePrograms(std::shared_ptr<Device> made) : device(std::move(made)), known(device->budgets()) {}
  std::shared_ptr<Device> device; ///< null in tests: it takes compilations only
  ProgramBudgets known;
  std::atomic<int64_t> compilations{0}, loaded{0}, loadedBytes{0};
  std::atomic<int64_t> places{kNoLimit}; ///< that it was found to have
  std::mutex probing;                    ///< held while it is probed
  std::optional<WeightWays> ways;        ///< once it was probed; LoadedPrograms::mutex guards this and the next
  int64_t probedPlaces = 0;              ///< that there was room for then; see probeWeightWays()
  bool wasProbed = false;                ///< even if what was found need not last
};

struct Evaluation;
class CachedProgram;

/// The programs of a process that are loaded, in all contexts: where one lacks room on a device, another's makes it.
struct LoadedPrograms {
  /// A thread that holds it may try the mutex of a program, but not wait for it.
  std::mutex mutex;
  std::condition_variable released; ///< a program may be free, or budgets are others
  std::atomic<int> waiting{0};      ///< threads, for that
  std::atomic<int64_t> clock{0};
  std::vector<CachedProgram *> programs; ///< loaded ones, and those that are being loaded
};

/// The programs of a context.
class ProgramCache {
public:
  explicit ProgramCache(Log &log);
  /// Limits of all programs together; evicts what exceeds them. 0: no common limit, but
  /// for each device what is known of it; kNoLimit: no limit at all.
  void setBudgets(const ProgramBudgets &budgets);
  ProgramCounters counters() const;
  /// Programs that this context has compiled.
  int64_t compiled() const { return done; }
  /// Programs of this context that were not compiled, though another process may compile them. Either the budget of
  /// compilations was spent, or the device took some programs and then refused this one, for a reason that may be its
  /// own limit (C05).
  int64_t leftToCompile() const { return left; }
  /// Whether so many programs can be compiled and stand beside all others.
  bool hasRoomFor(const DevicePrograms &device, int64_t programs, int64_t bytes);
  /// How programs of a device can get other weights. The first call probes the device: one compilation, and room for
  /// two programs, or for one. A later call probes again if the reasons found may pass. Without a budget only
  /// compilations are left. Don't call it while holding a loaded program: it may have to be unloaded.
  WeightWays waysOf(DevicePrograms &device);

private:
  friend class CachedProgram;
  /// Room on a device for what is no CachedProgram; counted until the end. To be made with the mutex held.
  struct Room {
    Room(ProgramCache &cache, DevicePrograms &device, int64_t programs, int64_t bytes);
    ~Room();
    ProgramCache &cache;
    DevicePrograms &device;
    const int64_t programs, bytes;
  };
  /// The mutex. What is to be logged meanwhile is logged when it is let go: whoever listens may take his time.
  class Locked {
  public:
    explicit Locked(ProgramCache &cache) : cache(cache), lock(cache.all->mutex) {}
    ~Locked() {
      if (lock.owns_lock())
        release();
    }
    void release();
    void take() { lock.lock(); }
    void wait() { cache.all->released.wait(lock); }

  private:
    ProgramCache &cache;
    std::unique_lock<std::mutex> lock;
  };
  /// That a device has no more.
  void learnPlaces(DevicePrograms &device, int64_t places);
  // All of this with the mutex held.
  /// Waits for who runs, but not for what no eviction brings: budgets may be lowered meanwhile.
  absl::Status makeRoom(Locked &lock, const std::string &program, const DevicePrograms &device, int64_t programs,
                        int64_t bytes);
  /// The same without waiting, and without eviction of `keep`: false where there is no room now.
  bool tryMakeRoom(const DevicePrograms &device, int64_t programs, int64_t bytes, const CachedProgram *keep);
  absl::Status checkRoom(const std::string &program, const DevicePrograms &device, int64_t programs,
                         int64_t bytes) const;
  /// Whether so `many` more may be compiled.
  absl::Status mayCompile(const std::string &program, const DevicePrograms &device, int64_t many = 1) const;
  /// The same for one, and notes that it is done.
  absl::Status takeCompilation(const std::string &program, DevicePrograms &device);
  int64_t mostLoaded(const DevicePrograms &device) const;
  /// Unloads the program that was used least recently of those that do not run; false if there is none. `of`: of this
  /// device, in all contexts; null: of this context.
  bool evict(const CachedProgram *keep, const DevicePrograms *of);
  bool isOver(int64_t programs, int64_t bytes) const;
  bool isOver(const DevicePrograms &device, int64_t programs, int64_t bytes) const;
  void count(DevicePrograms &device, int64_t programs, int64_t bytes);
  static void noteLoaded(CachedProgram &program);
  static void noteUnloaded(CachedProgram &program);
  void note(const Evaluation &cost);

  Log &log;
  const std::shared_ptr<LoadedPrograms> all;
  ProgramBudgets budgets;
  std::vector<std::string> unloaded; ///< names of programs that made room, to be logged
  std::atomic<int64_t> compilations{0}, loads{0}, loaded{0}, loadedBytes{0}, running{0}, hits{0}, evictions{0},
      retries{0}, refusals{0}, evaluations{0}, evaluationNs{0}, loadNs{0}, inputBytes{0}, outputBytes{0},
      weightBytes{0}, updates{0}, energyNj{0}, done{0}, left{0};
  std::atomic<bool> isEnergyKnown{true};
};

/// What an evaluation has cost.
struct Evaluation {
  int64_t startNs = 0, ns = 0, inputBytes = 0, outputBytes = 0;
  int64_t retries = 0;             ///< 1 if the device refused it first
  std::optional<int64_t> energyNj; ///< nothing: the device does not tell
  std::string weightsNote;         ///< why weights did not get there as they should have; "" as a rule
  std::string pathNote;            ///< Completion::note
};

/// A program that bundles and sessions share. It is loaded while it runs, and
/// afterwards as long as the budgets allow.
class CachedProgram {
public:
  /// Device::create().
  using Creator = std::function<absl::StatusOr<std::unique_ptr<DeviceProgram>>()>;
  /// `bytes` of its files. The cache outlives the program.
  CachedProgram(ProgramCache &cache, std::shared_ptr<DevicePrograms> device, std::string name, int64_t bytes,
                Creator creator)
      : cache(cache), device(std::move(device)), name(std::move(name)), bytes(bytes), creator(std::move(creator)) {}
  ~CachedProgram();

  /// Where this program comes from, instead of its creator, when it is needed the first time.
  struct Origin {
    std::shared_ptr<CachedProgram> other;
    std::shared_ptr<const Folder> files; ///< this program's
    WeightRanges changed;                ///< in which they differ from those of `other`
    bool isOwn = false;                  ///< nobody else has a use for `other`: it may be patched
    std::optional<WeightWay> first;      ///< the way that is wanted; nothing: the cheapest
  };
  /// To be called before it is loaded. Of the ways that work on the device, what fails is followed by the next one.
  void makeOf(Origin from);
  /// More in which its files differ from the origin's. False if it was made already.
  bool alsoChanged(const WeightRanges &ranges);

  int64_t fileBytes() const { return bytes; }

  /// Loads it unless it is loaded. What evaluate() says of refusals holds here.
  absl::Status load();

  /// The evaluations of one caller, one at a time. It has a request for each set of surfaces that it has seen since the
  /// program was loaded. To be destroyed before the surfaces are used for anything else.
  class Call {
  public:
    explicit Call(size_t procedure = 0) : procedure(procedure) {}

  private:
    friend class CachedProgram;
    absl::StatusOr<Request *> request(CachedProgram &of, absl::Span<Surface *const> inputs,
                                      absl::Span<Surface *const> outputs);
    size_t procedure;
    std::vector<std::unique_ptr<Request>> requests;
    uint64_t generation = 0; ///< of the program that they are for
  };

  /// Makes a request for later evaluations, if the program is loaded.
  absl::Status bind(Call &call, absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs);

  /// Runs a procedure of it once, beside other threads that do. After a refusal of the device that need not last
  /// (Refusal::Transient, Refusal::Resource) it is unloaded, loaded again when that may help (waitOf()), and runs once
  /// more.
  /// A second refusal is final: all later calls give it, in every session. A budget without room is final at once.
  /// A place that it was refused beside others is waited for, and is no refusal.
  absl::StatusOr<Evaluation> evaluate(Call &call, absl::Span<Surface *const> inputs,
                                      absl::Span<Surface *const> outputs);

private:
  friend class ProgramCache;
  /// The mutex. Whenever it is let go, who waits for room looks again: a program that another thread holds can't be
  /// evicted, whatever it is held for.
  class Lock {
  public:
    explicit Lock(CachedProgram &of) : of(of), lock(of.mutex) {}
    ~Lock() {
      if (lock.owns_lock())
        release();
    }
    void release();
    void take() { lock.lock(); }
    template <typename Condition>
    void waitIdle(Condition &&condition) {
      of.idle.wait(lock, condition);
    }

  private:
    CachedProgram &of;
    std::unique_lock<std::mutex> lock;
  };
  // All of this with the mutex held.
  template <typename Attempt>
  absl::Status use(Attempt &&attempt, int64_t *retries = nullptr);
  template <typename Attempt>
  absl::Status tryOnce(Lock &lock, Attempt &&attempt);
  void prepareSecondTry(Lock &lock, const absl::Status &refused, uint64_t of);
  /// Waits until nobody runs it. Nobody begins to meanwhile.
  void drain(Lock &lock);
  absl::Status ensureLoaded();
  /// `others`: beside how many it was refused a place; 0: it was not.
  absl::Status loadIntoPlace(int64_t &others);
  absl::StatusOr<bool> makeOfOrigin(const Origin &from);
  absl::Status makeBy(WeightWay way, const Origin &from, absl::Span<const WeightRange> changed);
  template <typename Fill>
  absl::Status fillPlace(Fill &&fill);
  void take(std::unique_ptr<DeviceProgram> made);
  void unload();

  ProgramCache &cache;
  const std::shared_ptr<DevicePrograms> device;
  const std::string name;
  const int64_t bytes;
  const Creator creator;
  /// Guards loading and unloading; taken through Lock, and not held while the program runs. Rule against deadlock: a
  /// thread may wait for room, or for the mutex of an origin, only while it holds programs that take no room
  /// themselves. A program that is loaded, or an origin, may be the room that others wait for.
  std::mutex mutex;
  std::condition_variable idle; ///< it does not run any more, or is not drained any more
  std::atomic<int> running{0};  ///< threads that use `program` without the mutex; changed with it
  bool isDraining = false;
  std::unique_ptr<DeviceProgram> program; ///< null until it is needed, and after a refusal for good
  bool isLoaded = false;
  /// Which `program` it is, of all of the process. Stays while it runs.
  uint64_t generation = 0;
  absl::Status refusal;         ///< final
  bool overBudget = false;      ///< the refusal is a budget's: no second try
  std::optional<Origin> origin; ///< until it is loaded
  /// The same without the mutex, for who only asks.
  std::atomic<bool> hasOrigin{false};
  std::string weightsNote; ///< of how it was made of it
  std::atomic<int64_t> lastUse{0};
};

} // namespace ane::rt
#endif // ANE_RUNTIME_CORE_PROGRAM_CACHE_H
