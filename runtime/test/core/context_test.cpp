#include "absl/strings/str_cat.h"
#include "runtime/core/context.h"
#include "runtime/support/of_process.h"
#include <condition_variable>
#include <future>
#include <gtest/gtest.h>
#include <thread>

using namespace ane::rt;

namespace {

struct Counts {
  std::atomic<int> compilations{0}, loads{0}, loaded{0}, requests{0};
};

class Counted final : public DeviceProgram {
public:
  explicit Counted(Counts &counts) : counts(counts) { ++counts.compilations; }
  ~Counted() override { unload(); }
  absl::Status load() override {
    ++counts.loads;
    ++counts.loaded;
    isLoaded = true;
    return absl::OkStatus();
  }
  void unload() override { counts.loaded -= isLoaded.exchange(false); }
  absl::StatusOr<std::unique_ptr<Request>> request(size_t procedure, absl::Span<Surface *const> inputs,
                                                   absl::Span<Surface *const> outputs) override {
    ++counts.requests;
    return DeviceProgram::request(procedure, inputs, outputs);
  }
  absl::StatusOr<Completion> submit(const Request &) override {
    EXPECT_TRUE(isLoaded);
    return Completion();
  }

private:
  Counts &counts;
  std::atomic<bool> isLoaded{false};
};

/// A single evaluation.
absl::StatusOr<Evaluation> run(CachedProgram &program, absl::Span<Surface *const> inputs = {},
                               absl::Span<Surface *const> outputs = {}) {
  CachedProgram::Call call;
  return program.evaluate(call, inputs, outputs);
}

/// Holds who comes in until it is opened.
class Blocking {
public:
  void pass() {
    std::unique_lock<std::mutex> lock(mutex);
    isInside = true;
    changed.notify_all();
    changed.wait(lock, [&] { return isOpen; });
  }
  void waitUntilInside() {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return isInside; });
  }
  void open() {
    std::lock_guard<std::mutex> lock(mutex);
    isOpen = true;
    changed.notify_all();
  }
  /// A program that is evaluated behind it.
  absl::StatusOr<std::unique_ptr<DeviceProgram>> make() {
    class Program final : public DeviceProgram {
    public:
      explicit Program(Blocking &gate) : gate(gate) {}
      absl::StatusOr<Completion> submit(const Request &) override {
        gate.pass();
        return Completion();
      }
      Blocking &gate;
    };
    return std::make_unique<Program>(*this);
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  bool isInside = false, isOpen = false;
};

class CacheTest : public testing::Test {
protected:
  std::shared_ptr<CachedProgram> program(const std::string &name, int64_t bytes = 10) {
    return *context.program(
        name, devicePrograms, name, bytes,
        [this]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> { return std::make_unique<Counted>(counts); });
  }
  Context context;
  std::shared_ptr<DevicePrograms> devicePrograms = std::make_shared<DevicePrograms>();
  Counts counts;
};

TEST_F(CacheTest, TheLeastRecentlyUsedMakesRoom) {
  context.cache().setBudgets({0, 2, 0});
  auto a = program("a"), b = program("b"), c = program("c");
  for (auto &each : {a, b, a, c})
    EXPECT_TRUE(run(*each).ok());
  EXPECT_EQ(counts.loaded, 2);
  EXPECT_TRUE(run(*a).ok()); // still there: b went
  EXPECT_EQ(counts.loads, 3);
  EXPECT_TRUE(run(*b).ok());
  // What has made room is not compiled again.
  EXPECT_EQ(counts.loads, 4);
  EXPECT_EQ(counts.compilations, 3);
  ProgramCounters counters = context.cache().counters();
  EXPECT_EQ(counters.compilations, 3);
  EXPECT_EQ(counters.loads, 4);
  EXPECT_EQ(counters.loaded, 2);
  EXPECT_EQ(counters.loadedBytes, 20);
  EXPECT_EQ(counters.evictions, 2);
  EXPECT_EQ(counters.evaluations, 6);
  EXPECT_EQ(counters.hits, 2);
  EXPECT_EQ(counters.running, 0);
  context.cache().setBudgets({0, 0, 10});
  EXPECT_EQ(counts.loaded, 1);
  b.reset();
  EXPECT_EQ(counts.loaded, 0);
  EXPECT_EQ(context.cache().counters().loaded, 0);
}

TEST_F(CacheTest, BytesAndCompilationsAreBounded) {
  context.cache().setBudgets({0, 0, 25});
  auto a = program("a"), b = program("b"), c = program("c", 20), d = program("d", 26);
  EXPECT_TRUE(a->load().ok() && b->load().ok());
  EXPECT_EQ(counts.loaded, 2);
  EXPECT_TRUE(c->load().ok());
  EXPECT_EQ(counts.loaded, 1);
  absl::Status status = d->load();
  EXPECT_EQ(refusalOf(status), Refusal::Resource);
  EXPECT_EQ(status.message(), "program d: has 26 bytes, the budget of all loaded programs is 25");
  // It was refused for good, others were not.
  context.cache().setBudgets({4, 0, 0});
  EXPECT_FALSE(d->load().ok());
  EXPECT_TRUE(a->load().ok() && program("f")->load().ok());
  auto e = program("e");
  status = e->load();
  EXPECT_EQ(status.message(), "program e: 4 programs were compiled in this process, the budget is 4");
  EXPECT_EQ(context.cache().counters().refusals, 2);
}

// Those are left for another process which it may compile, if this one has compiled any.
TEST_F(CacheTest, ProgramsThatAreLeftToCompile) {
  struct Uncompiled final : DeviceProgram {
    explicit Uncompiled(std::vector<absl::Status> refusals) : refusals(std::move(refusals)) {}
    absl::Status compileNow() override {
      absl::Status status = refusals.back();
      refusals.pop_back();
      return status;
    }
    absl::StatusOr<Completion> submit(const Request &) override { return absl::UnavailableError("busy"); }
    std::vector<absl::Status> refusals;
  };
  ProgramCache &cache = context.cache();
  int64_t programs = 0;
  auto expect = [&](const std::vector<absl::Status> &refusals, int64_t compiled, int64_t left) {
    const std::string name = absl::StrCat(++programs);
    auto made =
        *context.program(name, devicePrograms, name, 10, [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
          return std::make_unique<Uncompiled>(refusals);
        });
    EXPECT_FALSE(run(*made).ok());
    EXPECT_EQ(cache.compiled(), compiled) << name;
    EXPECT_EQ(cache.leftToCompile(), left) << name;
  };
  const absl::Status ok, busy = absl::UnavailableError("busy"), bad = absl::UnimplementedError("bad");
  expect({busy, busy}, 0, 0); // this one has taken none yet
  expect({ok}, 1, 0);         // compiled, and refused later
  expect({ok, busy}, 2, 0);   // a second try has helped
  expect({bad}, 2, 0);        // for good
  expect({busy, busy}, 2, 1);
  cache.setBudgets({0, 0, 5}); // no room, which another process has neither
  expect({ok}, 2, 1);
  cache.setBudgets({1, 0, 0});
  expect({ok}, 2, 2);
}

TEST_F(CacheTest, BudgetsThatAreKnownOfADevice) {
  devicePrograms->known = {5, 2, 0};
  auto a = program("a"), b = program("b"), c = program("c");
  std::shared_ptr<DevicePrograms> first = devicePrograms;
  devicePrograms = std::make_shared<DevicePrograms>();
  auto other = program("other");
  // Those of another device neither count nor leave.
  for (auto &each : {other, a, b, c})
    EXPECT_TRUE(each->load().ok());
  EXPECT_EQ(counts.loaded, 3);
  EXPECT_EQ(context.cache().counters().evictions, 1);
  EXPECT_TRUE(other->load().ok());
  EXPECT_EQ(counts.loads, 4);
  devicePrograms = first;
  auto d = program("d"), e = program("e"), f = program("f");
  EXPECT_TRUE(d->load().ok() && e->load().ok());
  absl::Status status = f->load();
  EXPECT_EQ(refusalOf(status), Refusal::Resource);
  EXPECT_EQ(status.message(), "program f: 5 programs were compiled in this process, the budget is 5, since the engine "
                              "takes no more (C05); ane_context_configure sets another");
  // What was compiled goes on.
  EXPECT_TRUE(a->load().ok() && b->load().ok() && c->load().ok());
  // The user knows better.
  context.cache().setBudgets({kNoLimit, kNoLimit, kNoLimit});
  std::vector<std::shared_ptr<CachedProgram>> more;
  for (const char *name : {"g", "h", "i"}) {
    more.push_back(program(name));
    EXPECT_TRUE(more.back()->load().ok());
  }
  EXPECT_EQ(counts.loaded, 6);
  EXPECT_EQ(first->loaded, 5);
}

TEST_F(CacheTest, ContextsShareADevice) {
  devicePrograms->known = {3, 2, 0};
  Context other;
  auto inOther = [&](const std::string &name) {
    return *other.program(name, devicePrograms, name, 10, [this]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
      return std::make_unique<Counted>(counts);
    });
  };
  auto a = program("a"), b = program("b"), c = inOther("c"), d = inOther("d");
  EXPECT_TRUE(a->load().ok() && b->load().ok());
  // The other context's program takes the place of this one's oldest.
  EXPECT_TRUE(c->load().ok());
  EXPECT_EQ(counts.loaded, 2);
  EXPECT_EQ(context.cache().counters().evictions, 1);
  EXPECT_EQ(context.cache().counters().loaded, 1);
  EXPECT_EQ(other.cache().counters().loaded, 1);
  EXPECT_EQ(refusalOf(d->load()), Refusal::Resource); // three are compiled
  // A limit of a context takes nothing from another.
  other.cache().setBudgets({0, 1, 0});
  EXPECT_TRUE(b->load().ok() && c->load().ok());
  EXPECT_EQ(counts.loads, 3);
}

// Each of two programs is loaded when both loads have begun.
TEST_F(CacheTest, ProgramsAreLoadedSideBySide) {
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  auto make = [&](const char *name) {
    return *context.program(name, devicePrograms, name, 10, [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
      std::unique_lock<std::mutex> lock(mutex);
      ++begun;
      changed.notify_all();
      if (!changed.wait_for(lock, std::chrono::seconds(60), [&] { return begun == 2; }))
        return absl::InternalError("alone");
      return std::make_unique<Counted>(counts);
    });
  };
  auto a = make("a"), b = make("b");
  // Two sessions wait for one load of `a`.
  std::thread first([&] { EXPECT_TRUE(a->load().ok()); }), again([&] { EXPECT_TRUE(a->load().ok()); });
  EXPECT_TRUE(b->load().ok());
  first.join();
  again.join();
  EXPECT_EQ(context.cache().counters().compilations, 2);
  EXPECT_EQ(context.cache().counters().hits, 1);
}

TEST_F(CacheTest, ALoadThatFailsGivesItsPlaceBack) {
  context.cache().setBudgets({0, 1, 0});
  bool throws = false;
  auto bad =
      *context.program("bad", devicePrograms, "bad", 10, [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
        if (throws)
          throw std::bad_alloc();
        return absl::DataLossError("damaged");
      });
  EXPECT_TRUE(absl::IsDataLoss(bad->load()));
  throws = true;
  EXPECT_THROW(bad->load().IgnoreError(), std::bad_alloc);
  EXPECT_EQ(context.cache().counters().loaded, 0);
  EXPECT_EQ(context.cache().counters().loadedBytes, 0);
  EXPECT_TRUE(program("a")->load().ok());
}

/// Tells what its evaluations take.
class Metered final : public DeviceProgram {
public:
  absl::StatusOr<Completion> submit(const Request &) override { return Completion{7}; }
};

TEST_F(CacheTest, CostsAreCounted) {
  auto metered =
      *context.program("metered", devicePrograms, "metered", 10,
                       []() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> { return std::make_unique<Metered>(); });
  auto in = *makeHostSurface(128), out = *makeHostSurface(64);
  auto cost = run(*metered, {in.get()}, {out.get(), out.get()});
  ASSERT_TRUE(cost.ok());
  EXPECT_EQ(cost->inputBytes, 128);
  EXPECT_EQ(cost->outputBytes, 128);
  EXPECT_EQ(cost->energyNj, 7);
  EXPECT_TRUE(run(*metered).ok());
  ProgramCounters counters = context.cache().counters();
  EXPECT_EQ(counters.inputBytes, 128);
  EXPECT_EQ(counters.weightBytes, 10);
  EXPECT_EQ(counters.energyNj, 14);
  EXPECT_GT(counters.loadNs, 0);
  // Who does not tell makes the sum unknown.
  auto silent = program("silent");
  auto unknown = run(*silent);
  ASSERT_TRUE(unknown.ok());
  EXPECT_EQ(unknown->energyNj, std::nullopt);
  EXPECT_EQ(context.cache().counters().energyNj, std::nullopt);
}

// Its surfaces are bound once, as long as they and the program stay.
TEST_F(CacheTest, ARequestIsKept) {
  context.cache().setBudgets({0, 1, 0});
  auto a = program("a"), b = program("b");
  auto x = makeHostSurface(64), y = makeHostSurface(64);
  CachedProgram::Call call;
  for (Surface *surface : {x->get(), x->get(), y->get(), y->get()})
    EXPECT_TRUE(a->evaluate(call, {surface}, {}).ok());
  EXPECT_EQ(counts.requests, 2);
  EXPECT_TRUE(b->load().ok());
  EXPECT_TRUE(a->evaluate(call, {y->get()}, {}).ok());
  EXPECT_EQ(counts.requests, 3); // after another load
  EXPECT_TRUE(b->evaluate(call, {y->get()}, {}).ok());
  EXPECT_EQ(counts.requests, 4);
}

// Two sessions run one program at a time, and it is not unloaded meanwhile.
TEST_F(CacheTest, SessionsRunSideBySide) {
  std::mutex mutex;
  std::condition_variable changed;
  int begun = 0;
  struct Meeting final : DeviceProgram {
    explicit Meeting(std::function<bool()> meet) : meet(std::move(meet)) {}
    absl::StatusOr<Completion> submit(const Request &) override {
      return meet() ? absl::StatusOr<Completion>(Completion()) : absl::InvalidArgumentError("alone");
    }
    std::function<bool()> meet;
  };
  auto meet = [&] {
    std::unique_lock<std::mutex> lock(mutex);
    ++begun;
    changed.notify_all();
    return changed.wait_for(lock, std::chrono::seconds(60), [&] { return begun == 2; });
  };
  auto a = *context.program("a", devicePrograms, "a", 10, [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
    return std::make_unique<Meeting>(meet);
  });
  std::thread first([&] { EXPECT_TRUE(run(*a).ok()); }), second([&] { EXPECT_TRUE(run(*a).ok()); });
  first.join();
  second.join();
}

/// Refuses a number of evaluations.
class Failing final : public DeviceProgram {
public:
  Failing(std::atomic<int> &failures, absl::Status refusal, Counts &counts)
      : failures(failures), refusal(std::move(refusal)), counts(counts) {}
  absl::Status load() override {
    ++counts.loads;
    return absl::OkStatus();
  }
  absl::StatusOr<Completion> submit(const Request &) override {
    if (--failures >= 0)
      return refusal;
    return Completion();
  }

private:
  std::atomic<int> &failures;
  absl::Status refusal;
  Counts &counts;
};

TEST_F(CacheTest, ASecondTryIsOfTheSameCompilation) {
  std::atomic<int> failures{1};
  auto make = [&](const char *name, const absl::Status &refusal) {
    return *context.program(name, devicePrograms, name, 10,
                            [&, refusal]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
                              ++counts.compilations;
                              return std::make_unique<Failing>(failures, refusal, counts);
                            });
  };
  const auto wait = std::chrono::milliseconds(30);
  auto a = make("a", refuse(Refusal::Transient, "program a: busy", "0x15", wait));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(run(*a).ok());
  EXPECT_GE(std::chrono::steady_clock::now() - start, wait);
  EXPECT_EQ(counts.compilations, 1);
  EXPECT_EQ(counts.loads, 2);
  failures = 1;
  auto b = make("b", refuse(Refusal::Gone, "program b: the service has ended"));
  EXPECT_TRUE(run(*b).ok());
  failures = 2;
  absl::Status status = run(*a).status();
  EXPECT_EQ(status.message(), "program a: busy");
  EXPECT_EQ(codeOf(status), "0x15");
  EXPECT_EQ(run(*a).status(), status); // for good
  EXPECT_EQ(context.cache().counters().loaded, 1);
}

// Whatever of them fails first, each thread has its second try, and what was loaded anew is not unloaded below another.
TEST_F(CacheTest, ThreadsFailTogether) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> failures{4};
    auto a = *context.program(absl::StrCat(round), devicePrograms, "a", 10,
                              [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
                                return std::make_unique<Failing>(failures, absl::UnavailableError("busy"), counts);
                              });
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([&] { run(*a).IgnoreError(); });
    for (std::thread &thread : threads)
      thread.join();
    EXPECT_EQ(context.cache().counters().running, 0);
  }
}

TEST_F(CacheTest, UsersOfAKeyShare) {
  auto a = program("a"), again = program("a");
  EXPECT_EQ(a, again);
  a.reset();
  EXPECT_EQ(program("a"), again);
  auto pool = *context.pool(3);
  EXPECT_EQ(pool, *context.pool(3));
  EXPECT_NE(pool, *context.pool(2));
  EXPECT_EQ(Context::process(), Context::process());
}

// A thread that waits for room which no eviction can bring any more gets an error instead.
TEST_F(CacheTest, BudgetsMayFallBelowWhoWaits) {
  context.cache().setBudgets({0, 0, 30});
  auto small = program("small", 20), large = program("large", 25);
  Blocking gate;
  auto running = *context.program("running", devicePrograms, "running", 20, [&] { return gate.make(); });
  std::thread runs([&] { EXPECT_TRUE(run(*running).ok()); });
  gate.waitUntilInside();
  absl::Status status;
  std::thread waits([&] { status = large->load(); });
  // However far it has come by now.
  context.cache().setBudgets({0, 0, 22});
  waits.join();
  gate.open();
  runs.join();
  EXPECT_EQ(status.message(), "program large: has 25 bytes, the budget of all loaded programs is 22");
  EXPECT_TRUE(small->load().ok());
}

/// Whether it ends. Where it does not, those who wait for room are woken, so that the test can go on.
bool ends(std::future<void> &work, ProgramCache &cache) {
  if (work.wait_for(std::chrono::seconds(20)) == std::future_status::ready)
    return true;
  while (work.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready)
    cache.setBudgets({});
  return false;
}

// Who waits for room can't take it from a program of which requests are being made, and is told when they are.
TEST_F(CacheTest, WhoWaitsForRoomIsToldOfEachProgramThatIsFree) {
  context.cache().setBudgets({0, 1, 0});
  Blocking gate;
  struct SlowToBind final : DeviceProgram {
    explicit SlowToBind(Blocking &gate) : gate(gate) {}
    absl::StatusOr<std::unique_ptr<Request>> request(size_t procedure, absl::Span<Surface *const> inputs,
                                                     absl::Span<Surface *const> outputs) override {
      gate.pass();
      return DeviceProgram::request(procedure, inputs, outputs);
    }
    absl::StatusOr<Completion> submit(const Request &) override { return Completion(); }
    Blocking &gate;
  };
  auto a = *context.program("a", devicePrograms, "a", 10, [&]() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> {
    return std::make_unique<SlowToBind>(gate);
  });
  auto b = program("b");
  EXPECT_TRUE(a->load().ok());
  CachedProgram::Call call;
  std::thread binds([&] { EXPECT_TRUE(a->bind(call, {}, {}).ok()); });
  gate.waitUntilInside();
  auto loads = std::async(std::launch::async, [&] { EXPECT_TRUE(b->load().ok()); });
  auto all = ofProcess<LoadedPrograms>();
  while (all->waiting == 0)
    std::this_thread::yield();
  all->mutex.lock(); // who waits has it until it sleeps
  all->mutex.unlock();
  gate.open();
  binds.join();
  EXPECT_TRUE(ends(loads, context.cache()));
}

// Nobody waits for ever, whatever program another thread holds when it looks.
TEST_F(CacheTest, ThreadsTakeTurnsAsBudgetsChange) {
  struct Short final : DeviceProgram {
    absl::StatusOr<std::unique_ptr<Request>> request(size_t procedure, absl::Span<Surface *const> inputs,
                                                     absl::Span<Surface *const> outputs) override {
      std::this_thread::sleep_for(std::chrono::microseconds(10));
      return DeviceProgram::request(procedure, inputs, outputs);
    }
    absl::StatusOr<Completion> submit(const Request &) override { return Completion(); }
  };
  constexpr int kThreads = 8, kRounds = 1000;
  std::vector<std::shared_ptr<CachedProgram>> programs;
  for (const char *name : {"a", "b"})
    programs.push_back(
        *context.program(name, devicePrograms, name, 10,
                         []() -> absl::StatusOr<std::unique_ptr<DeviceProgram>> { return std::make_unique<Short>(); }));
  auto work = std::async(std::launch::async, [&] {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i)
      threads.emplace_back([&, i] {
        for (int round = 0; round < kRounds; ++round) {
          if (i == 0 && round % 64 == 0)
            context.cache().setBudgets({kNoLimit, round / 64 % 8 ? 1 : 2, 0});
          CachedProgram &used = *programs[(i + round) % 2];
          CachedProgram::Call call, another;
          ASSERT_TRUE(used.evaluate(call, {}, {}).ok() && used.bind(another, {}, {}).ok());
        }
      });
    for (std::thread &thread : threads)
      thread.join();
  });
  EXPECT_TRUE(ends(work, context.cache()));
  EXPECT_EQ(context.cache().counters().evaluations, kThreads * kRounds);
}

// Who listens may ask the cache, which holds no lock meanwhile.
TEST_F(CacheTest, IsFreeWhileItLogs) {
  std::vector<std::string> messages;
  context.log().setSink(LogLevel::Info, [&](LogLevel, const std::string &message) {
    context.cache().setBudgets({0, 1, 0});
    messages.push_back(message);
  });
  context.cache().setBudgets({0, 1, 0});
  auto a = program("a"), b = program("b");
  EXPECT_TRUE(a->load().ok() && b->load().ok());
  EXPECT_EQ(messages, std::vector<std::string>{"program a was unloaded to make room"});
}

TEST(LogTest, AFormerListenerIsDone) {
  Log log;
  Blocking gate;
  std::atomic<bool> isDone{false};
  log.setSink(LogLevel::Info, [&](LogLevel, const std::string &) {
    gate.pass();
    isDone = true;
  });
  std::thread writes([&] { log.write(LogLevel::Info, "one"); });
  gate.waitUntilInside();
  std::thread opens([&] { gate.open(); });
  log.setSink(LogLevel::Off, nullptr);
  EXPECT_TRUE(isDone);
  writes.join();
  opens.join();
  // From its own call it can be taken away, too.
  int calls = 0;
  log.setSink(LogLevel::Info, [&](LogLevel, const std::string &) {
    ++calls;
    log.setSink(LogLevel::Off, nullptr);
  });
  log.write(LogLevel::Info, "two");
  log.write(LogLevel::Info, "three");
  EXPECT_EQ(calls, 1);
}

// More threads than places: those that wait get theirs, and nothing that runs is unloaded.
TEST_F(CacheTest, ThreadsTakeTurns) {
  context.cache().setBudgets({0, 2, 0});
  std::vector<std::shared_ptr<CachedProgram>> programs;
  for (const char *name : {"a", "b", "c", "d"})
    programs.push_back(program(name));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 100; ++round)
        ASSERT_TRUE(run(*programs[(i + round) % 4]).ok());
    });
  for (int round = 0; round < 100; ++round) {
    EXPECT_LE(context.cache().counters().loaded, 2);
    std::this_thread::yield();
  }
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(context.cache().counters().evaluations, 400);
  EXPECT_LE(counts.loaded, 2);
}

} // namespace
