//===- program_cache.cpp - Programs that are loaded on devices ------------===//
#include "runtime/core/program_cache.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/clock.h"
#include <algorithm>
#include <utility>

namespace ane::rt {

void ProgramCache::setBudgets(const ProgramBudgets &wanted) {
  std::lock_guard<std::mutex> lock(mutex);
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
    log.write(LogLevel::Info, "program ", oldest->name, " was unloaded to make room");
    return true;
  }
}

void ProgramCache::noteUnloaded(CachedProgram &program) {
  auto place = std::find(programs.begin(), programs.end(), &program);
  if (place == programs.end())
    return;
  programs.erase(place);
  --loaded;
  loadedBytes -= program.bytes;
  --program.device->loaded;
  program.device->loadedBytes -= program.bytes;
}

static int64_t limitOf(int64_t wanted, int64_t known) { return wanted ? wanted : known ? known : kNoLimit; }

absl::Status ProgramCache::mayCompile(const std::string &program, const DevicePrograms &device) const {
  const int64_t made = budgets.compilations ? compilations : device.compilations;
  if (int64_t limit = limitOf(budgets.compilations, device.known.compilations); made >= limit)
    return absl::ResourceExhaustedError(absl::StrCat(
        "program ", program, ": ", made, " programs were compiled in this process, the budget is ", limit,
        budgets.compilations ? "" : ", since the engine takes no more (C05); ane_context_configure sets another"));
  return absl::OkStatus();
}

absl::Status ProgramCache::takeCompilation(const std::string &program, DevicePrograms &device) {
  std::lock_guard<std::mutex> lock(mutex);
  absl::Status status = mayCompile(program, device);
  if (status.ok()) {
    ++compilations;
    ++device.compilations;
  }
  return status;
}

WeightWays ProgramCache::waysOf(DevicePrograms &device) {
  std::lock_guard<std::mutex> lock(device.waysMutex);
  if (device.ways || !device.device)
    return device.ways.value_or(WeightWays());
  if (absl::Status s = takeCompilation("the probe of weights", device); !s.ok())
    return WeightWays();
  device.ways = probeWeightWays(*device.device);
  log.write(LogLevel::Info, "device ", std::string(device.device->name()), " takes other weights by ",
            device.ways->text(std::nullopt));
  return *device.ways;
}

absl::Status ProgramCache::makeRoom(std::unique_lock<std::mutex> &lock, const CachedProgram &program) {
  DevicePrograms &device = *program.device;
  if (int64_t limit = limitOf(budgets.bytes, device.known.bytes); program.bytes > limit)
    return absl::ResourceExhaustedError(absl::StrCat("program ", program.name, ": has ", program.bytes,
                                                     " bytes, the budget of all loaded programs is ", limit));
  // Before the first look: who ends a run between look and wait must see it.
  ++waiting;
  while (true) {
    bool isTotal = isOver(1, program.bytes);
    if (!isTotal && !isOver(device, 1, program.bytes))
      break;
    if (!evict(&program, isTotal ? nullptr : &device))
      released.wait(lock);
  }
  --waiting;
  return absl::OkStatus();
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
  {
    std::unique_lock<std::mutex> lock(cache.mutex);
    absl::Status status = origin ? absl::OkStatus() : cache.mayCompile(name, *device);
    if (status.ok())
      status = cache.makeRoom(lock, *this);
    if (!status.ok()) {
      overBudget = true;
      return status;
    }
    // Its place is taken before it is loaded: others are loaded at the same time.
    cache.programs.push_back(this);
    ++cache.loaded;
    cache.loadedBytes += bytes;
    ++device->loaded;
    device->loadedBytes += bytes;
  }
  struct Place { // also after an exception
    ~Place() {
      if (!of.program)
        of.unload();
    }
    CachedProgram &of;
  } place{*this};
  auto made = make();
  if (!made.ok())
    return made.status();
  program = *std::move(made);
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<DeviceProgram>> CachedProgram::make() {
  if (std::optional<Origin> from = std::exchange(origin, std::nullopt)) {
    auto made = makeOfOrigin(*from);
    if (made.ok() || !absl::IsUnimplemented(made.status()))
      return made;
  }
  if (absl::Status status = cache.takeCompilation(name, *device); !status.ok()) {
    overBudget = true;
    return status;
  }
  const int64_t start = nowNs();
  auto made = loader();
  cache.loadNs += nowNs() - start;
  cache.weightBytes += made.ok() ? bytes : 0;
  return made;
}

void CachedProgram::makeOf(Origin from) {
  std::lock_guard<std::mutex> lock(mutex);
  origin = std::move(from);
}

/// Unimplemented: it is to be compiled.
absl::StatusOr<std::unique_ptr<DeviceProgram>> CachedProgram::makeOfOrigin(const Origin &from) {
  const WeightWays ways = cache.waysOf(*device);
  if (!ways.works(from.first.value_or(WeightWay::Patch)))
    weightsNote = absl::StrCat("its weights are set by ", ways.text(from.first));
  absl::Status trouble;
  for (WeightWay way : ways.order(from.first)) {
    if (way == WeightWay::Patch && !from.isOwn)
      continue;
    if (way == WeightWay::Recompile) {
      std::lock_guard<std::mutex> lock(cache.mutex);
      absl::Status budget = cache.mayCompile(name, *device);
      if (budget.ok())
        return absl::UnimplementedError("to be compiled");
      trouble = budget;
      continue;
    }
    auto made = from.other->updated(way, from);
    if (!made.ok() && refusalOf(made.status()) == Refusal::None)
      return made.status();
    if (!made.ok()) {
      trouble = made.status();
      continue;
    }
    if (!trouble.ok())
      weightsNote = absl::StrCat(trouble.message(), "; its weights are set by ", std::string(nameOf(way)));
    ++cache.updates;
    for (const WeightRange &range : from.changed)
      cache.weightBytes += range.bytes;
    return made;
  }
  return absl::UnimplementedError("to be compiled");
}

bool CachedProgram::isLoaded() {
  std::lock_guard<std::mutex> lock(mutex);
  return program != nullptr;
}

absl::StatusOr<std::unique_ptr<DeviceProgram>> CachedProgram::updated(WeightWay way, const Origin &to) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!program)
    return absl::UnimplementedError("it was unloaded");
  auto made = program->updateWeights(way, to.files, to.changed);
  if (made.ok() && way == WeightWay::Patch)
    unload(); // it is the other one now
  return made;
}

/// Loads a program anew without a compilation, where the device is known to do that: loads don't count (C05).
bool CachedProgram::reloadAsDonor() {
  std::lock_guard<std::mutex> lock(device->waysMutex);
  if (!program || !device->ways || !device->ways->donor)
    return false;
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
      std::lock_guard<std::mutex> lock(cache.mutex);
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
