//===- cached_program.cpp - One program, compiled once and loaded at need -===//
#include "absl/strings/str_cat.h"
#include "runtime/core/program_cache.h"
#include "runtime/support/clock.h"
#include <algorithm>
#include <thread>
#include <utility>

namespace ane::rt {

CachedProgram::~CachedProgram() { unload(); }

void CachedProgram::unload() {
  std::lock_guard<std::mutex> lock(cache.all->mutex);
  cache.noteUnloaded(*this);
  if (std::exchange(isLoaded, false))
    program->unload();
}

void CachedProgram::Lock::release() {
  LoadedPrograms &all = *of.cache.all;
  lock.unlock();
  // Written, not only read: either this sees who waits, or he, who writes it before he looks, sees the mutex free.
  if (all.waiting.fetch_add(0) == 0)
    return;
  // Taking the mutex keeps the wake-up from falling between a look and a wait.
  std::lock_guard<std::mutex> held(all.mutex);
  all.released.notify_all();
}

void CachedProgram::drain(Lock &lock) {
  lock.waitIdle([&] { return !isDraining; });
  isDraining = true;
  lock.waitIdle([&] { return running == 0; });
  isDraining = false;
  idle.notify_all();
}

absl::Status CachedProgram::ensureLoaded() {
  lastUse = ++cache.all->clock;
  if (isLoaded) {
    ++cache.hits;
    return absl::OkStatus();
  }
  hasOrigin = false;
  if (std::optional<Origin> from = std::exchange(origin, std::nullopt))
    if (absl::StatusOr<bool> isMade = makeOfOrigin(*from); !isMade.ok() || *isMade)
      return isMade.status();
  // Not for ever, whatever the device lacks: places become fewer until this program is alone.
  for (int tries = 0;; ++tries) {
    int64_t others = 0;
    absl::Status status = loadIntoPlace(others);
    if (others == 0)
      return status;
    cache.learnPlaces(*device, std::max<int64_t>(1, others >> std::max(0, tries - 1)));
    cache.log.write(LogLevel::Warning, "program ", name, " waits for a place beside ", others,
                    " others: ", status.message());
    ++cache.retries;
    std::this_thread::sleep_for(waitOf(status));
  }
}

void CachedProgram::take(std::unique_ptr<DeviceProgram> made) {
  program = std::move(made);
  isLoaded = true;
  generation = static_cast<uint64_t>(++cache.all->clock);
}

absl::Status CachedProgram::loadIntoPlace(int64_t &others) {
  const int64_t begin = nowNs();
  if (!program) {
    auto made = creator();
    if (!made.ok())
      return made.status();
    program = *std::move(made);
  }
  cache.loadNs += nowNs() - begin;
  const bool isCompiled = program->isCompiled();
  int64_t before = 0;
  {
    ProgramCache::Locked lock(cache);
    // Others may compile while this one waits for room.
    absl::Status budget = isCompiled ? absl::OkStatus() : cache.mayCompile(name, *device);
    if (budget.ok())
      budget = cache.makeRoom(lock, name, *device, 1, bytes);
    if (budget.ok() && !isCompiled)
      budget = cache.takeCompilation(name, *device);
    if (!budget.ok()) {
      overBudget = true;
      if (!isCompiled && !cache.mayCompile(name, *device).ok())
        ++cache.left;
      return budget;
    }
    // Its place is taken before it is loaded: others are loaded at the same time.
    before = device->loaded;
    cache.noteLoaded(*this);
  }
  return fillPlace([&] {
    const int64_t start = nowNs();
    absl::Status status = isCompiled ? absl::OkStatus() : program->compile();
    if (status.ok() && !isCompiled)
      ++cache.done;
    if (status.ok()) {
      status = program->load();
      // Others come and go meanwhile. Too high a number is found out at the next try, too low a one never.
      if (refusalOf(status) == Refusal::Resource)
        others = std::max<int64_t>(before, device->loaded - 1);
    }
    cache.loadNs += nowNs() - start;
    if (status.ok()) {
      ++cache.loads;
      cache.weightBytes += bytes;
      take(std::move(program));
    }
    return status;
  });
}

template <typename Fill>
absl::Status CachedProgram::fillPlace(Fill &&fill) {
  struct Place { // also after an exception
    ~Place() {
      if (!of.isLoaded)
        of.unload();
    }
    CachedProgram &of;
  } place{*this};
  return fill();
}

void CachedProgram::makeOf(Origin from) {
  Lock lock(*this);
  origin = std::move(from);
  hasOrigin = true;
}

bool CachedProgram::alsoChanged(const WeightRanges &ranges) {
  if (!hasOrigin)
    return false;
  Lock lock(*this);
  if (origin)
    origin->changed.add(ranges);
  return origin.has_value();
}

/// False: it is to be compiled.
absl::StatusOr<bool> CachedProgram::makeOfOrigin(const Origin &from) {
  if (from.first == WeightWay::Recompile) {
    std::lock_guard<std::mutex> lock(cache.all->mutex);
    // One compilation is kept for the probe, if it has not run: it finds the ways that are left when they are used up.
    if (cache.mayCompile(name, *device, device->ways ? 1 : 2).ok())
      return false;
  }
  const WeightWays ways = cache.waysOf(*device);
  if (!ways.works(from.first.value_or(WeightWay::Patch)))
    weightsNote = absl::StrCat("its weights are set by ", ways.text(from.first));
  // Before this program has a place: who holds the origin may be waiting for it.
  Lock held(*from.other);
  from.other->drain(held);
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

/// With the origin's mutex held, while nobody runs it. Recompile: whether that may be.
absl::Status CachedProgram::makeBy(WeightWay way, const Origin &from, absl::Span<const WeightRange> changed) {
  CachedProgram &other = *from.other;
  if (way == WeightWay::Recompile) {
    std::lock_guard<std::mutex> lock(cache.all->mutex);
    return cache.mayCompile(name, *device);
  }
  if (!other.isLoaded)
    return absl::UnimplementedError(absl::StrCat("program ", other.name, ": was unloaded, with the old weights"));
  if (way == WeightWay::Patch) { // which needs no other place than the origin's
    auto made = other.program->updateWeights(way, from.files, changed);
    if (!made.ok())
      return made.status();
    std::lock_guard<std::mutex> lock(cache.all->mutex);
    cache.noteUnloaded(other);
    other.isLoaded = false;
    other.program.reset();
    cache.noteLoaded(*this);
    take(*std::move(made));
    return absl::OkStatus();
  }
  {
    ProgramCache::Locked lock(cache);
    if (!cache.tryMakeRoom(*device, 1, bytes, &other))
      return absl::ResourceExhaustedError(
          absl::StrCat("program ", name, ": the budgets have no room for it beside the one that it is made of"));
    cache.noteLoaded(*this);
  }
  return fillPlace([&] {
    auto made = other.program->updateWeights(way, from.files, changed);
    if (made.ok())
      take(*std::move(made));
    return made.status();
  });
}

template <typename Attempt>
absl::Status CachedProgram::tryOnce(Lock &lock, Attempt &&attempt) {
  if (absl::Status status = ensureLoaded(); !status.ok())
    return status;
  struct Running { // also after an exception
    Running(CachedProgram &of, Lock &lock) : of(of), lock(lock) {
      ++of.running;
      ++of.cache.running;
      lock.release();
    }
    ~Running() {
      lock.take();
      --of.cache.running;
      if (--of.running == 0)
        of.idle.notify_all();
    }
    CachedProgram &of;
    Lock &lock;
  } here(*this, lock);
  return attempt(*program);
}

void CachedProgram::prepareSecondTry(Lock &lock, const absl::Status &refused, uint64_t of) {
  cache.log.write(LogLevel::Warning, "program ", name, " gets a second try: ", refused.message());
  ++cache.retries;
  if (generation == of) {
    drain(lock);
    if (generation == of) // nobody else has loaded it anew
      unload();
  }
  if (refusalOf(refused) == Refusal::Resource) {
    // Others may hold what it lacks.
    ProgramCache::Locked locked(cache);
    while (cache.evict(this, device.get()))
      ;
  }
  if (const std::chrono::milliseconds wait = waitOf(refused); wait.count() > 0) {
    lock.release();
    std::this_thread::sleep_for(wait);
    lock.take();
  }
}

template <typename Attempt>
absl::Status CachedProgram::use(Attempt &&attempt, int64_t *retries) {
  Lock lock(*this);
  lock.waitIdle([&] { return !isDraining; });
  if (!refusal.ok())
    return refusal;
  uint64_t of = 0; // the load that was used
  auto noted = [&](DeviceProgram &loaded) {
    of = generation;
    return attempt(loaded);
  };
  absl::Status status = tryOnce(lock, noted);
  if (mayPass(refusalOf(status)) && !overBudget) {
    prepareSecondTry(lock, status, of);
    if (retries)
      ++*retries;
    status = refusal.ok() ? tryOnce(lock, noted) : refusal;
  }
  if (refusalOf(status) != Refusal::None && refusal.ok()) {
    drain(lock);
    unload();
    if (program && !program->isCompiled() && mayPass(refusalOf(status)) && !overBudget && cache.done > 0)
      ++cache.left;
    program.reset();
    ++cache.refusals;
    refusal = status;
  }
  return status;
}

absl::Status CachedProgram::load() {
  return use([](DeviceProgram &) { return absl::OkStatus(); });
}

absl::StatusOr<Request *> CachedProgram::Call::request(CachedProgram &of, absl::Span<Surface *const> inputs,
                                                       absl::Span<Surface *const> outputs) {
  if (generation != of.generation)
    requests.clear();
  generation = of.generation;
  for (const std::unique_ptr<Request> &known : requests)
    if (absl::MakeConstSpan(known->inputs) == inputs && absl::MakeConstSpan(known->outputs) == outputs)
      return known.get();
  // Surfaces of states take turns; where others change all the time no request pays.
  constexpr size_t mostKept = 16;
  if (requests.size() >= mostKept)
    requests.clear();
  auto made = of.program->request(procedure, inputs, outputs);
  if (!made.ok())
    return made.status();
  requests.push_back(*std::move(made));
  return requests.back().get();
}

absl::Status CachedProgram::bind(Call &call, absl::Span<Surface *const> inputs, absl::Span<Surface *const> outputs) {
  Lock lock(*this);
  return isLoaded ? call.request(*this, inputs, outputs).status() : absl::OkStatus();
}

absl::StatusOr<Evaluation> CachedProgram::evaluate(Call &call, absl::Span<Surface *const> inputs,
                                                   absl::Span<Surface *const> outputs) {
  Evaluation cost;
  absl::Status status = use(
      [&](DeviceProgram &loaded) {
        auto request = call.request(*this, inputs, outputs);
        if (!request.ok())
          return request.status();
        cost.startNs = nowNs();
        auto completion = loaded.submit(**request);
        cost.ns = nowNs() - cost.startNs;
        if (completion.ok()) {
          cost.energyNj = completion->energyNj;
          cost.pathNote = std::move(completion->note);
        }
        return completion.status();
      },
      &cost.retries);
  if (!status.ok())
    return status;
  {
    Lock lock(*this);
    cost.weightsNote = std::exchange(weightsNote, "");
  }
  for (Surface *surface : inputs)
    cost.inputBytes += surface->bytes();
  for (Surface *surface : outputs)
    cost.outputBytes += surface->bytes();
  cache.note(cost);
  return cost;
}

} // namespace ane::rt
