//===- program_cache.cpp - Programs that are loaded on devices ------------===//
#include "runtime/core/program_cache.h"
#include "absl/strings/str_cat.h"
#include "runtime/support/clock.h"
#include <algorithm>

namespace ane::rt {

void ProgramCache::setBudgets(const ProgramBudgets &wanted) {
  std::lock_guard<std::mutex> lock(mutex);
  budgets = wanted;
  // What runs right now stays, and makes room for the next one.
  while (isOver(0, 0) && evict(nullptr))
    ;
}

ProgramCounters ProgramCache::counters() const {
  return {compilations, loaded, loadedBytes, running, hits, evictions, retries, refusals, evaluations, evaluationNs};
}

bool ProgramCache::isOver(int64_t more, int64_t moreBytes) const {
  return (budgets.loaded && loaded + more > budgets.loaded) ||
         (budgets.bytes && loadedBytes + moreBytes > budgets.bytes);
}

/// Unloads the program that was used least recently of those that do not run;
/// false if there is none.
bool ProgramCache::evict(const CachedProgram *keep) {
  for (int64_t after = -1;;) {
    CachedProgram *oldest = nullptr;
    for (CachedProgram *program : programs)
      if (program != keep && program->lastUse > after && (!oldest || program->lastUse < oldest->lastUse))
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
}

absl::Status ProgramCache::makeRoom(std::unique_lock<std::mutex> &lock, const CachedProgram &program) {
  if (budgets.compilations && compilations >= budgets.compilations)
    return absl::ResourceExhaustedError(absl::StrCat("program ", program.name, ": ", compilations.load(),
                                                     " programs were compiled in this process, the budget is ",
                                                     budgets.compilations));
  if (budgets.bytes && program.bytes > budgets.bytes)
    return absl::ResourceExhaustedError(absl::StrCat("program ", program.name, ": has ", program.bytes,
                                                     " bytes, the budget of all loaded programs is ", budgets.bytes));
  // Before the first look: who ends a run between look and wait must see it.
  ++waiting;
  while (isOver(1, program.bytes))
    if (!evict(&program))
      released.wait(lock);
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
  std::unique_lock<std::mutex> lock(cache.mutex);
  if (absl::Status status = cache.makeRoom(lock, *this); !status.ok()) {
    overBudget = true;
    return status;
  }
  cache.programs.reserve(cache.programs.size() + 1);
  ++cache.compilations;
  auto made = loader();
  if (!made.ok())
    return made.status();
  program = *std::move(made);
  cache.programs.push_back(this);
  ++cache.loaded;
  cache.loadedBytes += bytes;
  return absl::OkStatus();
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

absl::Status CachedProgram::evaluate(size_t procedure, absl::Span<Surface *const> inputs,
                                     absl::Span<Surface *const> outputs) {
  return use([&] {
    if (absl::Status status = ensureLoaded(); !status.ok())
      return status;
    int64_t start = nowNs();
    absl::Status status = program->evaluate(procedure, inputs, outputs);
    cache.evaluationNs += nowNs() - start;
    ++cache.evaluations;
    return status;
  });
}

} // namespace ane::rt
