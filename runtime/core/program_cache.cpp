//===- program_cache.cpp - Programs that are loaded on devices ------------===//
#include "runtime/core/program_cache.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/clock.h"
#include <algorithm>
#include <utility>

namespace ane::rt {

class ProgramCache::Locked {
public:
  explicit Locked(ProgramCache &cache) : cache(cache), lock(cache.mutex) {}
  ~Locked() {
    if (lock.owns_lock())
      release();
  }
  void release() {
    std::vector<std::string> names = std::move(cache.unloaded);
    cache.unloaded.clear();
    lock.unlock();
    for (const std::string &name : names)
      cache.log.write(LogLevel::Info, "program ", name, " was unloaded to make room");
  }
  void take() { lock.lock(); }
  void wait() { cache.released.wait(lock); }

private:
  ProgramCache &cache;
  std::unique_lock<std::mutex> lock;
};

void ProgramCache::setBudgets(const ProgramBudgets &wanted) {
  Locked lock(*this);
  budgets = wanted;
  // What runs right now stays, and makes room for the next one.
  while (isOver(0, 0) && evict(nullptr))
    ;
  released.notify_all();
}

ProgramCounters ProgramCache::counters() const {
  ProgramCounters counters = {compilations, loaded,  loadedBytes, running,     hits,
                              evictions,    retries, refusals,    updates,     evaluations,
                              evaluationNs, loadNs,  inputBytes,  outputBytes, weightBytes};
  counters.energyNj = isEnergyKnown ? std::optional<int64_t>(energyNj) : std::nullopt;
  return counters;
}

bool ProgramCache::isOver(int64_t more, int64_t moreBytes) const {
  return (budgets.loaded && loaded > budgets.loaded - more) ||
         (budgets.bytes && loadedBytes > budgets.bytes - moreBytes);
}

bool ProgramCache::isOver(const DevicePrograms &device, int64_t more, int64_t moreBytes) const {
  const ProgramBudgets &known = device.known;
  return (!budgets.loaded && known.loaded && device.loaded > known.loaded - more) ||
         (!budgets.bytes && known.bytes && device.loadedBytes > known.bytes - moreBytes);
}

/// Unloads the program, of a device if one is given, that was used least recently of those that do not run;
/// false if there is none.
bool ProgramCache::evict(const CachedProgram *keep, const DevicePrograms *of) {
  for (int64_t after = -1;;) {
    CachedProgram *oldest = nullptr;
    for (CachedProgram *program : programs)
      if (program != keep && (!of || program->device.get() == of) && program->lastUse > after &&
          (!oldest || program->lastUse < oldest->lastUse))
        oldest = program;
    if (!oldest)
      return false;
    after = oldest->lastUse;
    std::unique_lock<std::mutex> lock(oldest->mutex, std::try_to_lock);
    if (!lock.owns_lock())
      continue; // it runs
    oldest->program.reset();
    noteUnloaded(*oldest);
    ++evictions;
    unloaded.push_back(oldest->name);
    return true;
  }
}

void ProgramCache::noteLoaded(CachedProgram &program) {
  programs.push_back(&program);
  count(*program.device, 1, program.bytes);
}

void ProgramCache::noteUnloaded(CachedProgram &program) {
  auto place = std::find(programs.begin(), programs.end(), &program);
  if (place == programs.end())
    return;
  programs.erase(place);
  count(*program.device, -1, -program.bytes);
}

void ProgramCache::count(DevicePrograms &device, int64_t programs, int64_t bytes) {
  loaded += programs;
  loadedBytes += bytes;
  device.loaded += programs;
  device.loadedBytes += bytes;
}

static int64_t limitOf(int64_t wanted, int64_t known) { return wanted ? wanted : known ? known : kNoLimit; }

absl::Status ProgramCache::mayCompile(const std::string &program, const DevicePrograms &device, int64_t many) const {
  const int64_t made = budgets.compilations ? compilations : device.compilations;
  if (int64_t limit = limitOf(budgets.compilations, device.known.compilations); made > limit - many)
    return absl::ResourceExhaustedError(absl::StrCat(
        "program ", program, ": ", made, " programs were compiled in this process, the budget is ", limit,
        budgets.compilations ? "" : ", since the engine takes no more (C05); ane_context_configure sets another"));
  return absl::OkStatus();
}

absl::Status ProgramCache::takeCompilation(const std::string &program, DevicePrograms &device) {
  absl::Status status = mayCompile(program, device);
  if (status.ok()) {
    ++compilations;
    ++device.compilations;
  }
  return status;
}

absl::Status ProgramCache::checkRoom(const std::string &program, const DevicePrograms &device, int64_t programs,
                                     int64_t bytes) const {
  if (int64_t limit = limitOf(budgets.loaded, device.known.loaded); programs > limit)
    return absl::ResourceExhaustedError(
        absl::StrCat("program ", program, ": needs ", programs, " places, the budget of loaded programs is ", limit));
  if (int64_t limit = limitOf(budgets.bytes, device.known.bytes); bytes > limit)
    return absl::ResourceExhaustedError(
        absl::StrCat("program ", program, ": has ", bytes, " bytes, the budget of all loaded programs is ", limit));
  return absl::OkStatus();
}

bool ProgramCache::tryMakeRoom(const DevicePrograms &device, int64_t programs, int64_t bytes,
                               const CachedProgram *keep) {
  while (true) {
    const bool isTotal = isOver(programs, bytes);
    if (!isTotal && !isOver(device, programs, bytes))
      return true;
    if (!evict(keep, isTotal ? nullptr : &device))
      return false;
  }
}

absl::Status ProgramCache::makeRoom(Locked &lock, const std::string &program, const DevicePrograms &device,
                                    int64_t programs, int64_t bytes) {
  // Before the first look: who ends a run between look and wait must see it.
  ++waiting;
  absl::Status status = checkRoom(program, device, programs, bytes);
  while (status.ok() && !tryMakeRoom(device, programs, bytes, nullptr)) {
    lock.wait();
    status = checkRoom(program, device, programs, bytes);
  }
  --waiting;
  return status;
}

ProgramCache::Room::Room(ProgramCache &cache, DevicePrograms &device, int64_t programs, int64_t bytes)
    : cache(cache), device(device), programs(programs), bytes(bytes) {
  cache.count(device, programs, bytes);
}

ProgramCache::Room::~Room() {
  std::lock_guard<std::mutex> lock(cache.mutex);
  cache.count(device, -programs, -bytes);
  cache.released.notify_all();
}

WeightWays ProgramCache::waysOf(DevicePrograms &device) {
  std::lock_guard<std::mutex> alone(device.probing);
  Locked lock(*this);
  constexpr char name[] = "probe of weights";
  const bool isRoomForTwo = checkRoom(name, device, 2, 2 * probeBytes()).ok();
  const int64_t places = isRoomForTwo ? 2 : 1, bytes = places * probeBytes();
  if (!device.device || (device.ways && device.probedPlaces >= places))
    return device.ways.value_or(WeightWays());
  absl::Status budget = mayCompile(name, device);
  if (budget.ok())
    budget = makeRoom(lock, name, device, places, bytes);
  if (budget.ok())
    budget = takeCompilation(name, device);
  if (!budget.ok())
    return device.ways.value_or(WeightWays{std::string(budget.message()), std::string(budget.message())});
  Room room(*this, device, places, bytes);
  lock.release();
  WeightWays ways = probeWeightWays(*device.device, isRoomForTwo);
  log.write(LogLevel::Info, "device ", std::string(device.device->name()), " takes other weights by ",
            ways.text(std::nullopt));
  lock.take();
  // As with programs, a second refusal is final.
  if (std::exchange(device.wasProbed, true) || !ways.mayPass) {
    device.ways = ways;
    device.probedPlaces = places;
  }
  lock.release();
  return ways;
}

CachedProgram::~CachedProgram() { unload(); }

void CachedProgram::unload() {
  std::lock_guard<std::mutex> lock(cache.mutex);
  cache.noteUnloaded(*this);
  program.reset();
}

absl::Status CachedProgram::ensureLoaded() {
  lastUse = ++cache.clock;
  if (program) {
    ++cache.hits;
    return absl::OkStatus();
  }
  hasOrigin = false;
  if (std::optional<Origin> from = std::exchange(origin, std::nullopt))
    if (absl::StatusOr<bool> isMade = makeOfOrigin(*from); !isMade.ok() || *isMade)
      return isMade.status();
  return compile();
}

absl::Status CachedProgram::compile() {
  {
    ProgramCache::Locked lock(cache);
    // Others may compile while this one waits for room.
    absl::Status budget = cache.mayCompile(name, *device);
    if (budget.ok())
      budget = cache.makeRoom(lock, name, *device, 1, bytes);
    if (budget.ok())
      budget = cache.takeCompilation(name, *device);
    if (!budget.ok()) {
      overBudget = true;
      return budget;
    }
    // Its place is taken before it is loaded: others are loaded at the same time.
    cache.noteLoaded(*this);
  }
  return fillPlace([&] {
    const int64_t start = nowNs();
    auto made = loader();
    cache.loadNs += nowNs() - start;
    cache.weightBytes += made.ok() ? bytes : 0;
    return made;
  });
}

template <typename Make>
absl::Status CachedProgram::fillPlace(Make &&make) {
  struct Place { // also after an exception
    ~Place() {
      if (!of.program)
        of.unload();
    }
    CachedProgram &of;
  } place{*this};
  absl::StatusOr<std::unique_ptr<DeviceProgram>> made = make();
  if (made.ok())
    program = *std::move(made);
  return made.status();
}

void CachedProgram::makeOf(Origin from) {
  std::lock_guard<std::mutex> lock(mutex);
  origin = std::move(from);
  hasOrigin = true;
}

bool CachedProgram::alsoChanged(const WeightRanges &ranges) {
  if (!hasOrigin)
    return false;
  std::lock_guard<std::mutex> lock(mutex);
  if (origin)
    origin->changed.add(ranges);
  return origin.has_value();
}

/// False: it is to be compiled.
absl::StatusOr<bool> CachedProgram::makeOfOrigin(const Origin &from) {
  if (from.first == WeightWay::Recompile) {
    std::lock_guard<std::mutex> lock(cache.mutex);
    // The last one is the probe's, for what comes then.
    if (cache.mayCompile(name, *device, device->ways ? 1 : 2).ok())
      return false;
  }
  const WeightWays ways = cache.waysOf(*device);
  if (!ways.works(from.first.value_or(WeightWay::Patch)))
    weightsNote = absl::StrCat("its weights are set by ", ways.text(from.first));
  // Before this program has a place: who holds the origin may be waiting for it.
  std::lock_guard<std::mutex> held(from.other->mutex);
  const std::vector<WeightRange> changed = from.changed.list();
  absl::Status trouble;
  for (WeightWay way : ways.order(from.first)) {
    if (way == WeightWay::Patch && !from.isOwn)
      continue;
    absl::Status made = makeBy(way, from, changed);
    if (!made.ok() && refusalOf(made) == Refusal::None)
      return made;
    if (!made.ok()) {
      trouble = made;
      continue;
    }
    if (!trouble.ok())
      weightsNote = absl::StrCat(trouble.message(), "; its weights are set by ", std::string(nameOf(way)));
    if (way == WeightWay::Recompile)
      return false;
    ++cache.updates;
    for (const WeightRange &range : changed)
      cache.weightBytes += range.bytes;
    return true;
  }
  return false;
}

/// With the origin's mutex held. Recompile: whether that may be.
absl::Status CachedProgram::makeBy(WeightWay way, const Origin &from, absl::Span<const WeightRange> changed) {
  CachedProgram &other = *from.other;
  if (way == WeightWay::Recompile) {
    std::lock_guard<std::mutex> lock(cache.mutex);
    return cache.mayCompile(name, *device);
  }
  if (!other.program)
    return absl::UnimplementedError(absl::StrCat("program ", other.name, ": was unloaded, with the old weights"));
  if (way == WeightWay::Patch) { // which needs no other place than the origin's
    auto made = other.program->updateWeights(way, from.files, changed);
    if (!made.ok())
      return made.status();
    std::lock_guard<std::mutex> lock(cache.mutex);
    cache.noteUnloaded(other);
    other.program.reset();
    cache.noteLoaded(*this);
    program = *std::move(made);
    return absl::OkStatus();
  }
  {
    ProgramCache::Locked lock(cache);
    if (!cache.tryMakeRoom(*device, 1, bytes, &other))
      return absl::ResourceExhaustedError(
          absl::StrCat("program ", name, ": the budgets have no room for it beside the one that it is made of"));
    cache.noteLoaded(*this);
  }
  return fillPlace([&] { return other.program->updateWeights(way, from.files, changed); });
}

/// Loads a program anew without a compilation, where the device is known to do that: loads don't count (C05).
bool CachedProgram::reloadAsDonor() {
  ProgramCache::Locked lock(cache);
  if (!program || !device->ways || !device->ways->works(WeightWay::Donor) ||
      !cache.tryMakeRoom(*device, 1, bytes, this))
    return false;
  ProgramCache::Room room(cache, *device, 1, bytes);
  lock.release();
  auto made = program->updateWeights(WeightWay::Donor, nullptr, {});
  if (made.ok())
    program = *std::move(made);
  return made.ok();
}

template <typename Attempt>
absl::Status CachedProgram::withSecondTry(Attempt &&attempt) {
  if (!refusal.ok())
    return refusal;
  absl::Status status = attempt();
  Refusal kind = refusalOf(status);
  if ((kind == Refusal::Transient || kind == Refusal::Resource) && !overBudget) {
    cache.log.write(LogLevel::Warning, "program ", name, " gets a second try: ", status.message());
    ++cache.retries;
    if (kind != Refusal::Transient || !reloadAsDonor())
      unload();
    if (kind == Refusal::Resource) {
      // Others may hold what it lacks.
      ProgramCache::Locked lock(cache);
      while (cache.evict(this))
        ;
    }
    status = attempt();
  }
  if (refusalOf(status) != Refusal::None) {
    unload();
    ++cache.refusals;
    refusal = status;
  }
  return status;
}

template <typename Attempt>
absl::Status CachedProgram::use(Attempt &&attempt) {
  struct Running {
    Running(CachedProgram &program) : cache(program.cache), lock(program.mutex) { ++cache.running; }
    ~Running() {
      --cache.running;
      lock.unlock();
      if (cache.waiting == 0)
        return;
      // Taking the mutex keeps the wake-up from falling between a look and a wait.
      std::lock_guard<std::mutex> held(cache.mutex);
      cache.released.notify_all();
    }
    ProgramCache &cache;
    std::unique_lock<std::mutex> lock;
  } running(*this);
  return withSecondTry(attempt);
}

absl::Status CachedProgram::load() {
  return use([&] { return ensureLoaded(); });
}

absl::StatusOr<Evaluation> CachedProgram::evaluate(size_t procedure, absl::Span<Surface *const> inputs,
                                                   absl::Span<Surface *const> outputs) {
  Evaluation cost;
  absl::Status status = use([&] {
    if (absl::Status status = ensureLoaded(); !status.ok())
      return status;
    const std::optional<int64_t> before = program->energyNanojoules();
    const int64_t start = nowNs();
    absl::Status status = program->evaluate(procedure, inputs, outputs);
    cost.ns = nowNs() - start;
    if (!weightsNote.empty())
      cost.weightsNote = std::exchange(weightsNote, "");
    if (std::optional<int64_t> after = program->energyNanojoules(); before && after)
      cost.energyNj = *after - *before;
    return status;
  });
  if (!status.ok())
    return status;
  for (Surface *surface : inputs)
    cost.inputBytes += surface->bytes();
  for (Surface *surface : outputs)
    cost.outputBytes += surface->bytes();
  cache.note(cost);
  return cost;
}

void ProgramCache::note(const Evaluation &cost) {
  ++evaluations;
  evaluationNs += cost.ns;
  inputBytes += cost.inputBytes;
  outputBytes += cost.outputBytes;
  energyNj += cost.energyNj.value_or(0);
  if (!cost.energyNj)
    isEnergyKnown = false;
}

} // namespace ane::rt
