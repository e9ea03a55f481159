//===- program_cache.cpp - Programs that are loaded on devices ------------===//
#include "runtime/core/program_cache.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/of_process.h"
#include <algorithm>
#include <utility>

namespace ane::rt {

ProgramCache::ProgramCache(Log &log) : log(log), all(ofProcess<LoadedPrograms>()) {}

void ProgramCache::Locked::release() {
  std::vector<std::string> names = std::move(cache.unloaded);
  cache.unloaded.clear();
  lock.unlock();
  for (const std::string &name : names)
    cache.log.write(LogLevel::Info, "program ", name, " was unloaded to make room");
}

void ProgramCache::setBudgets(const ProgramBudgets &wanted) {
  Locked lock(*this);
  budgets = wanted;
  // What runs right now stays, and makes room for the next one.
  while (isOver(0, 0) && evict(nullptr, nullptr))
    ;
  all->released.notify_all();
}

ProgramCounters ProgramCache::counters() const {
  ProgramCounters counters = {compilations, loads,      loaded,      loadedBytes, running,     hits,
                              evictions,    retries,    refusals,    updates,     evaluations, evaluationNs,
                              loadNs,       inputBytes, outputBytes, weightBytes};
  counters.energyNj = isEnergyKnown ? std::optional<int64_t>(energyNj) : std::nullopt;
  return counters;
}

bool ProgramCache::hasRoomFor(const DevicePrograms &device, int64_t programs, int64_t bytes) {
  Locked lock(*this);
  return mayCompile("", device, programs).ok() && !isOver(programs, bytes) && !isOver(device, programs, bytes);
}

bool ProgramCache::isOver(int64_t more, int64_t moreBytes) const {
  return (budgets.loaded && loaded > budgets.loaded - more) ||
         (budgets.bytes && loadedBytes > budgets.bytes - moreBytes);
}

bool ProgramCache::isOver(const DevicePrograms &device, int64_t more, int64_t moreBytes) const {
  const ProgramBudgets &known = device.known;
  return device.loaded > device.places - more ||
         (!budgets.loaded && known.loaded && device.loaded > known.loaded - more) ||
         (!budgets.bytes && known.bytes && device.loadedBytes > known.bytes - moreBytes);
}

bool ProgramCache::evict(const CachedProgram *keep, const DevicePrograms *of) {
  for (int64_t after = -1;;) {
    CachedProgram *oldest = nullptr;
    int64_t least = kNoLimit;
    for (CachedProgram *program : all->programs)
      // Once: others use it meanwhile.
      if (const int64_t use = program->lastUse; program != keep && use > after && use < least &&
                                                (of ? program->device.get() == of : &program->cache == this)) {
        oldest = program;
        least = use;
      }
    if (!oldest)
      return false;
    after = least;
    // No Lock: it is held no longer than the cache's mutex, without which nobody looks.
    std::unique_lock<std::mutex> lock(oldest->mutex, std::try_to_lock);
    if (!lock.owns_lock() || oldest->running != 0)
      continue;
    oldest->program->unload();
    oldest->isLoaded = false;
    noteUnloaded(*oldest);
    ++oldest->cache.evictions;
    unloaded.push_back(oldest->name);
    return true;
  }
}

void ProgramCache::noteLoaded(CachedProgram &program) {
  program.cache.all->programs.push_back(&program);
  program.cache.count(*program.device, 1, program.bytes);
}

void ProgramCache::noteUnloaded(CachedProgram &program) {
  std::vector<CachedProgram *> &programs = program.cache.all->programs;
  auto place = std::find(programs.begin(), programs.end(), &program);
  if (place == programs.end())
    return;
  programs.erase(place);
  program.cache.count(*program.device, -1, -program.bytes);
}

void ProgramCache::count(DevicePrograms &device, int64_t programs, int64_t bytes) {
  loaded += programs;
  loadedBytes += bytes;
  device.loaded += programs;
  device.loadedBytes += bytes;
}

static int64_t limitOf(int64_t wanted, int64_t known) { return wanted ? wanted : known ? known : kNoLimit; }

int64_t ProgramCache::mostLoaded(const DevicePrograms &device) const {
  return std::min(limitOf(budgets.loaded, device.known.loaded), device.places.load());
}

void ProgramCache::learnPlaces(DevicePrograms &device, int64_t places) {
  std::lock_guard<std::mutex> lock(all->mutex);
  device.places = std::min(device.places.load(), places);
  // Who waits for more than there is gives up. Who waits for bytes may have got those of the program that was refused.
  all->released.notify_all();
}

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
  if (const int64_t limit = mostLoaded(device); programs > limit)
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
  // Before the first look: who lets a program go between look and wait must see it.
  struct Waiting {
    explicit Waiting(std::atomic<int> &count) : count(count) { ++count; }
    ~Waiting() { --count; }
    std::atomic<int> &count;
  } waiting(all->waiting);
  absl::Status status = checkRoom(program, device, programs, bytes);
  while (status.ok() && !tryMakeRoom(device, programs, bytes, nullptr)) {
    lock.wait();
    status = checkRoom(program, device, programs, bytes);
  }
  return status;
}

ProgramCache::Room::Room(ProgramCache &cache, DevicePrograms &device, int64_t programs, int64_t bytes)
    : cache(cache), device(device), programs(programs), bytes(bytes) {
  cache.count(device, programs, bytes);
}

ProgramCache::Room::~Room() {
  std::lock_guard<std::mutex> lock(cache.all->mutex);
  cache.count(device, -programs, -bytes);
  cache.all->released.notify_all();
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
